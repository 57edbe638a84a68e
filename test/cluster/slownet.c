/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * slownet: a switch whose costs are set. It replaces the data bridge of a virtual cluster.
 *
 *     slownet COSTS LATENCY-US MESSAGE-US PORT:BYTES-PER-SECOND ...
 *
 *     sending card          wire        receiving card
 *     message + n / rate -> latency ->  message + n / rate      then the frame is delivered
 *
 * A card handles one frame at a time in each direction; frames that come meanwhile wait, as long
 * as it takes: nothing is dropped. With a large MTU a message of up to 64 KiB is one frame, so the
 * cost of a frame is the cost of a message. Frames without TCP payload (acknowledgements) cost
 * their bytes only. While the word `active` of the file COSTS is 0, nothing costs anything.
 */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "slow.h"

enum {
    MAX_PORTS = 256,
    MAX_FRAME = 80 * 1024,
    QUEUE_BYTES = 256 << 20,
    HEADER = sizeof(struct virtio_net_hdr)
};

typedef struct port_t {
    int fd;                /* the packet socket of the switch's end of the cable */
    double rate;           /* bytes a second, each direction */
    int64_t sending_until; /* when the card has sent what was given to it */
    int64_t receiving_until;
    uint8_t mac[ETH_ALEN]; /* of the node, learned from its first frame */
    bool learned;
} port_t;

typedef struct frame_t {
    int64_t at;      /* when the next thing happens to the frame */
    uint64_t number; /* frames of the same time keep their order */
    bool received;   /* the receiving card is done: deliver at that time */
    int to;          /* port */
    int64_t cost;    /* nanoseconds of the receiving card */
    size_t length;
    uint8_t bytes[];
} frame_t;

static port_t port[MAX_PORTS];
static int ports;
static int64_t latency_ns;
static int64_t message_ns;
static frame_t **heap;
static size_t waiting;
static size_t room;
static const slow_costs_t *costs;

static void die(const char *what)
{
    fprintf(stderr, "slownet: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool before(const frame_t *a, const frame_t *b)
{
    return a->at != b->at ? a->at < b->at : a->number < b->number;
}

static void push(frame_t *frame)
{
    size_t at = waiting++;

    if (waiting > room) {
        room = 2 * waiting;
        heap = realloc(heap, room * sizeof(*heap));
        if (NULL == heap) {
            die("memory");
        }
    }
    for (; at > 0 && before(frame, heap[(at - 1) / 2]); at = (at - 1) / 2) {
        heap[at] = heap[(at - 1) / 2];
    }
    heap[at] = frame;
}

static frame_t *pop(void)
{
    frame_t *top = heap[0];
    frame_t *last = heap[--waiting];
    size_t at = 0;

    while (2 * at + 1 < waiting) {
        size_t child = 2 * at + 1;

        child += child + 1 < waiting && before(heap[child + 1], heap[child]);
        if (!before(heap[child], last)) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return top;
}

/* Acknowledgements and ARP have no payload. */
static bool has_payload(const uint8_t *ethernet, size_t length)
{
    const struct ether_header *ether = (const void *) ethernet;
    const struct iphdr *ip = (const void *) (ethernet + ETH_HLEN);
    const struct tcphdr *tcp;

    if (length < ETH_HLEN + sizeof(*ip) || htons(ETHERTYPE_IP) != ether->ether_type
        || IPPROTO_TCP != ip->protocol) {
        return false;
    }
    tcp = (const void *) (ethernet + ETH_HLEN + 4 * ip->ihl);
    return length > (size_t) (ETH_HLEN + 4 * ip->ihl + 4 * tcp->doff);
}

static int64_t cost_ns(const port_t *card, size_t bytes, bool payload)
{
    if (0 == atomic_load(&costs->active)) {
        return 0;
    }
    return (int64_t) ((double) bytes / card->rate * 1e9) + (payload ? message_ns : 0);
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* A copy of the frame leaves the sending card at `sent`. */
static void travel(const uint8_t *bytes, size_t length, bool payload, int to, int64_t sent)
{
    static uint64_t number;
    frame_t *frame = malloc(sizeof(*frame) + length);

    if (NULL == frame) {
        die("memory");
    }
    *frame = (frame_t){.at = sent + (0 == atomic_load(&costs->active) ? 0 : latency_ns),
                       .number = number++,
                       .to = to,
                       .cost = cost_ns(&port[to], length - HEADER, payload),
                       .length = length};
    memcpy(frame->bytes, bytes, length);
    push(frame);
}

static void forward(int from, const uint8_t *bytes, size_t length)
{
    const uint8_t *ethernet = bytes + HEADER;
    bool payload = has_payload(ethernet, length - HEADER);
    port_t *card = &port[from];
    int target = -1;

    if (!card->learned) {
        memcpy(card->mac, ethernet + ETH_ALEN, ETH_ALEN);
        card->learned = true;
    }
    for (int i = 0; i < ports; i++) {
        if (port[i].learned && 0 == memcmp(port[i].mac, ethernet, ETH_ALEN)) {
            target = i;
        }
    }
    card->sending_until = later(now_ns(), card->sending_until)
                          + cost_ns(card, length - HEADER, payload);
    for (int i = 0; i < ports; i++) {
        if (i != from && (i == target || target < 0)) {
            travel(bytes, length, payload, i, card->sending_until);
        }
    }
}

static void receive(int from)
{
    static uint8_t bytes[MAX_FRAME];

    for (;;) {
        struct sockaddr_ll sender;
        socklen_t size = sizeof(sender);
        ssize_t n = recvfrom(port[from].fd, bytes, sizeof(bytes), MSG_DONTWAIT,
                             (struct sockaddr *) &sender, &size);

        if (n < 0) {
            return;
        }
        if (PACKET_OUTGOING != sender.sll_pkttype && n > (ssize_t) (HEADER + ETH_HLEN)) {
            forward(from, bytes, (size_t) n);
        }
    }
}

/* Everything that is due; returns the nanoseconds until the next frame is. */
static int64_t deliver_due(void)
{
    int64_t now = now_ns();

    while (waiting > 0 && heap[0]->at <= now) {
        frame_t *frame = pop();
        port_t *card = &port[frame->to];

        if (!frame->received) {
            card->receiving_until = later(frame->at, card->receiving_until) + frame->cost;
            frame->at = card->receiving_until;
            frame->received = true;
            push(frame);
            continue;
        }
        if (send(card->fd, frame->bytes, frame->length, 0) < 0) {
            fprintf(stderr, "slownet: a frame of %zu bytes is lost: %s\n", frame->length,
                    strerror(errno));
        }
        free(frame);
    }
    return waiting > 0 ? heap[0]->at - now : 1000000000;
}

static void open_port(const char *text, int epoll)
{
    char name[IF_NAMESIZE] = "";
    const char *colon = strchr(text, ':');
    int one = 1;
    int bytes = QUEUE_BYTES;
    struct sockaddr_ll address = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL)};
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t) ports};
    port_t *card = &port[ports++];

    if (NULL == colon || colon - text >= IF_NAMESIZE || MAX_PORTS < ports) {
        errno = EINVAL;
        die(text);
    }
    memcpy(name, text, (size_t) (colon - text));
    card->rate = strtod(colon + 1, NULL);
    card->fd = socket(AF_PACKET, SOCK_RAW, 0);
    address.sll_ifindex = (int) if_nametoindex(name);
    if (card->fd < 0 || 0 == address.sll_ifindex
        || setsockopt(card->fd, SOL_PACKET, PACKET_VNET_HDR, &one, sizeof(one)) < 0
        || setsockopt(card->fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) < 0
        || setsockopt(card->fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes)) < 0
        || bind(card->fd, (struct sockaddr *) &address, sizeof(address)) < 0
        || epoll_ctl(epoll, EPOLL_CTL_ADD, card->fd, &event) < 0) {
        die(text);
    }
}

int main(int argc, char **argv)
{
    int epoll = epoll_create1(0);

    if (argc < 5 || epoll < 0) {
        fputs("usage: slownet COSTS LATENCY-US MESSAGE-US PORT:BYTES-PER-SECOND ...\n", stderr);
        return 2;
    }
    costs = slow_map(argv[1]);
    if (NULL == costs) {
        die(argv[1]);
    }
    latency_ns = (int64_t) (1e3 * strtod(argv[2], NULL));
    message_ns = (int64_t) (1e3 * strtod(argv[3], NULL));
    for (int i = 4; i < argc; i++) {
        open_port(argv[i], epoll);
    }
    for (;;) {
        struct epoll_event events[64];
        int64_t wait = deliver_due();
        struct timespec t = {wait / 1000000000, wait % 1000000000};
        int n = epoll_pwait2(epoll, events, 64, &t, NULL);

        for (int i = 0; i < n; i++) {
            receive((int) events[i].data.u32);
        }
    }
}
