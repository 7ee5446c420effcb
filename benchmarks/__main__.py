"""`make bench`: the measurements that take minutes; those that take an hour are named."""

import subprocess
import sys

MINUTES = (("benchmarks.client_overhead", "--rounds", "3", "--slow"), ("benchmarks.big_export",))
AN_HOUR = "python -m benchmarks.satisfaction"


def main() -> None:
    for words in MINUTES:
        subprocess.run([sys.executable, "-m", *words], check=True)
    print(f"\nHow well the embedded models judge takes about an hour on two cores: {AN_HOUR}")


if __name__ == "__main__":
    main()
