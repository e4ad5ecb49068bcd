"""What a user of antidotedb does, on each type that it has: scenarios.py PORT [BUCKET]."""
import sys

from antidotedb.antidoteclient import AntidoteClient, AntidoteException, Key
from antidotedb.antidoteclient import Counter, Flag, Map, MVRegister, Register, Set

PORT = int(sys.argv[1])
BUCKET = sys.argv[2] if len(sys.argv) > 2 else 'python'


def key(name, data_type):
    return Key(BUCKET, name, data_type)


def check(what, actual, expected):
    if actual != expected:
        sys.exit('%s: %r, expected %r' % (what, actual, expected))
    print('ok: ' + what)


client = AntidoteClient('127.0.0.1', PORT)
other = AntidoteClient('127.0.0.1', PORT)


def update(*updates):
    assert client.start_static_transaction().update_objects(list(updates))


def read(*keys):
    return other.start_static_transaction(min_snapshot=client.last_commit).read_objects(list(keys))


for data_type in ('COUNTER', 'FATCOUNTER'):
    counter = key('c-' + data_type, data_type)
    update(Counter.IncOp(counter, 5), Counter.IncOp(counter, -2))
    check(data_type + ' counts', read(counter)[0].value(), 3)
update(Counter.ResetOp(key('c-FATCOUNTER', 'FATCOUNTER')))
check('FATCOUNTER is reset', read(key('c-FATCOUNTER', 'FATCOUNTER'))[0].value(), 0)

for data_type in ('ORSET', 'RWSET'):
    a_set = key('s-' + data_type, data_type)
    update(Set.AddOp(a_set, [b'b', b'a', b'c']), Set.RemoveOp(a_set, [b'c']))
    check(data_type + ' holds', list(read(a_set)[0].values()), [b'a', b'b'])
    update(Set.ResetOp(a_set))
    check(data_type + ' is reset', list(read(a_set)[0].values()), [])

register = key('r', 'LWWREG')
check('LWWREG begins empty', read(register)[0].value(), b'')
update(Register.AssignOp(register, b'x'), Register.AssignOp(register, b'y'))
check('LWWREG holds the last', read(register)[0].value(), b'y')

several = key('m', 'MVREG')
left, right = client.start_transaction(), other.start_transaction()
left.update_objects(MVRegister.AssignOp(several, b'left'))
right.update_objects(MVRegister.AssignOp(several, b'right'))
left.commit()
right.commit()
check('MVREG holds both', list(read(several)[0].values()), [b'left', b'right'])

for data_type in ('FLAG_EW', 'FLAG_DW'):
    flag = key('f-' + data_type, data_type)
    update(Flag.UpdateOp(flag, True))
    check(data_type + ' is set', read(flag)[0].value(), True)
    update(Flag.UpdateOp(flag, False))
    check(data_type + ' is cleared', read(flag)[0].value(), False)

for data_type in ('GMAP', 'RRMAP'):
    a_map = key('map-' + data_type, data_type)
    update(Map.UpdateOp(a_map, [Counter.IncOp(b'n', 4, 'COUNTER'), Set.AddOp(b't', [b'e'], 'ORSET')]))
    values = read(a_map)[0].values()
    check(data_type + ' nests', (values[b'n'].value(), list(values[b't'].values())), (4, [b'e']))
removed = key('map-RRMAP', 'RRMAP')
update(Map.RemoveOp(removed, [Key('', 'n', 'COUNTER')]))
check('RRMAP removes a counter too', sorted(read(removed)[0].values()), [b't'])

tx = client.start_transaction()
counter = key('tx', 'COUNTER')
tx.update_objects(Counter.IncOp(counter, 1))
check('a transaction reads its own', tx.read_objects(counter)[0].value(), 1)
check('others do not', other.start_static_transaction().read_objects(counter)[0].value(), 0)
assert tx.commit()
check('after the commit they do', read(counter)[0].value(), 1)

for i in range(2, 101):
    update(Counter.IncOp(counter, 1))
    if read(counter)[0].value() != i:
        sys.exit('a clock did not carry causality')
print('ok: clocks carry causality')

try:
    client.start_static_transaction().update_objects(Set.AddOp(key('tx', 'ORSET'), [b'x']))
    sys.exit('another type was taken')
except AntidoteException as refused:
    print('ok: another type is refused: %s' % refused)
check('which harms nothing', read(counter)[0].value(), 100)
