"""What a user of antidotedb does whose cluster may lose a node: failover.py PORT...

Each write is repeated, at the next node, until one acknowledges it; a repetition changes nothing.
Ends when its input ends: then what was acknowledged must be there.
"""
import collections
import itertools
import socket
import struct
import sys
import threading
import time

from antidotedb.antidoteclient import AntidoteClient, AntidoteException, Key, Set

PORTS = itertools.cycle(int(port) for port in sys.argv[1:])
SETS = 6
PER_SET = 50

socket.setdefaulttimeout(5)
failures = collections.Counter()
is_over = threading.Event()


def wait_for_end():
    sys.stdin.read()
    is_over.set()


class Session:
    """A client that goes on at the next node, and sees there what it has written."""

    def __init__(self):
        self.client = None
        self.clock = None

    def retried(self, action):
        while True:
            try:
                if self.client is None:
                    self.client = AntidoteClient('127.0.0.1', next(PORTS))
                done = action(self.client)
                self.clock = self.client.last_commit or self.clock
                return done
            # A connection that has ended shows as the struct that can't be read.
            except (AntidoteException, OSError, struct.error) as failed:
                failures['%s: %s' % (type(failed).__name__, str(failed).split('\n')[0][:100])] += 1
                if self.client is not None:
                    self.client.close()
                self.client = None
                time.sleep(0.05)

    def read(self, *keys):
        found = self.retried(
            lambda client: client.start_static_transaction(min_snapshot=self.clock).read_objects(list(keys)))
        return [list(one.values()) for one in found]


def set_of(name, i):
    return Key('failover-python', '%s-%d-%d' % (name, i // PER_SET // SETS, i % SETS), 'ORSET')


def check(what, is_true):
    if not is_true:
        print('wrong: ' + what, flush=True)
        sys.exit(1)


def add(client, key, element):
    if not client.start_static_transaction().update_objects([Set.AddOp(key, [element])]):
        raise AntidoteException('not committed')


def add_to_both(client, left, right, element):
    transaction = client.start_transaction()
    transaction.update_objects([Set.AddOp(left, [element]), Set.AddOp(right, [element])])
    if not transaction.commit():
        raise AntidoteException('not committed')


threading.Thread(target=wait_for_end, daemon=True).start()
session = Session()
i = 0
while not is_over.is_set():
    element = b'%d' % i
    one = set_of('one', i)
    session.retried(lambda client: add(client, one, element))
    check('%d is read after its write' % i, element in session.read(one)[0])
    if i % 4 == 0:
        left, right = set_of('left', i), set_of('right', i + 1)
        session.retried(lambda client: add_to_both(client, left, right, element))
        check('both have %d, which was acknowledged' % i, all(element in of for of in session.read(left, right)))
    if i % 10 == 0:
        print('acknowledged %d' % i, flush=True)
    i += 1
for k in range(i):
    check('%d is there' % k, b'%d' % k in session.read(set_of('one', k))[0])
print('ok: %d are there; %s' % (i, dict(failures)), flush=True)
