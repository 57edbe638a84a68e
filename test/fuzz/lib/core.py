def run(suite, seconds):
    pass
