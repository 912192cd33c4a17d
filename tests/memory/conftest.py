def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="a gigabyte from each sender")
