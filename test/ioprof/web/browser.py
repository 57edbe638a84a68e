# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
#
# Drives a headless Chromium over its debugging pipe: descriptors 3 and 4, messages that end with a
# zero byte. Nothing but Python's own library is needed, and no port is opened.

import base64
import json
import os
import shutil
import subprocess
import tempfile

FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
         '--disable-background-networking', '--disable-component-update', '--disable-sync',
         '--disable-dev-shm-usage', '--hide-scrollbars', '--remote-debugging-pipe']


def find():
    """The path of a Chromium, or None."""
    return shutil.which('chromium') or shutil.which('chromium-browser') \
        or shutil.which('google-chrome')


class Browser:
    def __init__(self, timeout=120):
        self.home = tempfile.mkdtemp(prefix='ioprof_browser.')
        self.next_id = 0
        self.errors = []
        ask_read, self.ask = os.pipe()
        self.answer, answer_write = os.pipe()

        def take_pipes():
            # Both are moved out of the way first: one of them may be descriptor 3 or 4 itself.
            ask, answer = os.dup(ask_read), os.dup(answer_write)
            while ask in (3, 4):
                ask = os.dup(ask)
            while answer in (3, 4):
                answer = os.dup(answer)
            os.dup2(ask, 3)
            os.dup2(answer, 4)

        # `timeout` ends it for sure: a test never hangs.
        self.process = subprocess.Popen(
            ['timeout', '-k', '5', str(timeout), find(), *FLAGS, f'--user-data-dir={self.home}',
             'about:blank'], preexec_fn=take_pipes, close_fds=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(ask_read)
        os.close(answer_write)
        self.buffer = b''
        target = self.call('Target.createTarget', url='about:blank')['targetId']
        self.session = self.call('Target.attachToTarget', targetId=target,
                                 flatten=True)['sessionId']
        self.page('Page.enable')
        self.page('Runtime.enable')

    def receive(self):
        while b'\0' not in self.buffer:
            data = os.read(self.answer, 1 << 20)
            if not data:
                raise RuntimeError('the browser ended')
            self.buffer += data
        message, self.buffer = self.buffer.split(b'\0', 1)
        return json.loads(message)

    def call(self, method, session=None, **params):
        self.next_id += 1
        message = {'id': self.next_id, 'method': method, 'params': params}
        if session:
            message['sessionId'] = session
        data = json.dumps(message).encode() + b'\0'
        while data:
            data = data[os.write(self.ask, data):]
        while True:
            answer = self.receive()
            if answer.get('method') == 'Runtime.exceptionThrown':
                details = answer['params']['exceptionDetails']
                self.errors.append(details.get('exception', {}).get('description')
                                   or details['text'])
            if answer.get('id') == self.next_id:
                if 'error' in answer:
                    raise RuntimeError(f'{method}: {answer["error"]}')
                return answer['result']

    def page(self, method, **params):
        return self.call(method, self.session, **params)

    def open(self, path, width, height=800, dark=False, scale=1):
        self.errors = []
        self.page('Emulation.setDeviceMetricsOverride', width=width, height=height,
                  deviceScaleFactor=scale, mobile=width < 500)
        self.page('Emulation.setEmulatedMedia', features=[
            {'name': 'prefers-color-scheme', 'value': 'dark' if dark else 'light'}])
        self.page('Page.navigate', url='file://' + os.path.abspath(path))
        for _ in range(600):
            ready = self.eval('document.readyState === "complete"')
            if ready and self.eval('location.href').endswith(os.path.basename(path)):
                break
        # Pictures are drawn after the first layout.
        self.eval('new Promise((done) => requestAnimationFrame(() => '
                  'requestAnimationFrame(() => done(1))))')

    def eval(self, expression):
        result = self.page('Runtime.evaluate', expression=expression, returnByValue=True,
                           awaitPromise=True)
        if 'exceptionDetails' in result:
            raise RuntimeError(expression + ': ' + json.dumps(result['exceptionDetails'])[:400])
        return result['result'].get('value')

    def key(self, key, code=0):
        codes = {'Tab': 9, 'ArrowLeft': 37, 'ArrowUp': 38, 'ArrowRight': 39, 'ArrowDown': 40,
                 'End': 35, 'Home': 36, 'Escape': 27, 'Enter': 13}
        code = code or codes.get(key, 0)
        params = {'key': key, 'code': key, 'windowsVirtualKeyCode': code}
        if len(key) == 1:
            params['text'] = key
        self.page('Input.dispatchKeyEvent', type='keyDown', **params)
        self.page('Input.dispatchKeyEvent', type='keyUp', **params)

    def hover(self, x, y):
        self.page('Input.dispatchMouseEvent', type='mouseMoved', x=x, y=y)

    def screenshot(self, path, clip=None):
        """The whole page, not only what fits the window, or (x, y, width, height) of it."""
        params = {}
        if clip:
            params['clip'] = dict(zip(('x', 'y', 'width', 'height'), clip), scale=1)
        picture = self.page('Page.captureScreenshot', format='png', captureBeyondViewport=True,
                            **params)
        with open(path, 'wb') as out:
            out.write(base64.b64decode(picture['data']))

    def close(self):
        os.close(self.ask)
        os.close(self.answer)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.terminate()
            self.process.wait()
        shutil.rmtree(self.home, ignore_errors=True)
