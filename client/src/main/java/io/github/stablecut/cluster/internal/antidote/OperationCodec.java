package io.github.stablecut.cluster.internal.antidote;

import static io.github.stablecut.cluster.internal.antidote.ObjectCodec.required;

import io.github.stablecut.crdt.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Encodes and decodes operations.
 *
 * <pre>
 *   ApbUpdateOperation  (one of) ? ApbCounterUpdate counterop=1  ? ApbSetUpdate setop=2
 *                                ? ApbRegUpdate regop=3          ? ApbMapUpdate mapop=5
 *                                ? ApbCrdtReset resetop=6        ? ApbFlagUpdate flagop=7
 *   ApbCounterUpdate    ? sint64 inc=1
 *   ApbSetUpdate        ! SetOpType optype=1 (ADD=1 REMOVE=2)   * bytes adds=2   * bytes rems=3
 *   ApbRegUpdate        ! bytes value=1
 *   ApbFlagUpdate       ! bool value=1
 *   ApbCrdtReset        (empty)
 *   ApbMapNestedUpdate  ! ApbMapKey key=1   ! ApbUpdateOperation update=2
 *   ApbMapUpdate        * ApbMapNestedUpdate updates=1   * ApbMapKey removedKeys=2
 * </pre>
 */
final class OperationCodec {
  private static final int COUNTER = 1;
  private static final int SET = 2;
  private static final int REGISTER = 3;
  private static final int MAP = 5;
  private static final int RESET = 6;
  private static final int FLAG = 7;

  /** The fields of the kinds of operation; a message has exactly one of them. */
  private static final Set<Integer> KINDS = Set.of(COUNTER, SET, REGISTER, MAP, FLAG, RESET);

  private static final int VALUE = 1;
  private static final int SET_TYPE = 1;
  private static final int ADD = 1;
  private static final int REMOVE = 2;
  private static final int ADDS = 2;
  private static final int REMOVALS = 3;
  private static final int UPDATES = 1;
  private static final int REMOVED_KEYS = 2;
  private static final int PLACE = 1;
  private static final int OPERATION = 2;

  private OperationCodec() {}

  static WireOperation read(WireReader in) {
    WireOperation operation = null;
    while (in.hasNext()) {
      int field = in.next();
      if (!KINDS.contains(field)) {
        in.skip();
        continue;
      }
      if (operation != null) {
        throw new ProtocolException(
            "an update has several operations (counterop, setop, ...), and at most one would be"
                + " applied: send an update for each");
      }
      operation = in.message(message -> read(field, message));
    }
    return required(operation, "the kind of an operation (counterop, setop, ...)");
  }

  private static WireOperation read(int field, WireReader in) {
    return switch (field) {
      case COUNTER -> readCount(in);
      case SET -> readElements(in);
      case REGISTER -> readAssign(in);
      case MAP -> readEntries(in);
      case FLAG -> readFlag(in);
      default -> readReset(in);
    };
  }

  static void write(WireWriter out, WireOperation operation) {
    if (operation instanceof WireOperation.Count count) {
      out.message(COUNTER, () -> out.signed(VALUE, count.amount()));
    } else if (operation instanceof WireOperation.Elements elements) {
      out.message(SET, () -> writeElements(out, elements));
    } else if (operation instanceof WireOperation.Assign assign) {
      out.message(REGISTER, () -> out.bytes(VALUE, assign.value()));
    } else if (operation instanceof WireOperation.Flag flag) {
      out.message(FLAG, () -> out.bool(VALUE, flag.value()));
    } else if (operation instanceof WireOperation.Entries entries) {
      out.message(MAP, () -> writeEntries(out, entries));
    } else {
      out.message(RESET, () -> {});
    }
  }

  private static WireOperation readCount(WireReader in) {
    long amount = 1;
    while (in.hasNext()) {
      if (in.next() == VALUE) {
        amount = in.signed();
      } else {
        in.skip();
      }
    }
    return new WireOperation.Count(amount);
  }

  private static WireOperation readElements(WireReader in) {
    long type = 0;
    List<Bytes> adds = new ArrayList<>();
    List<Bytes> removals = new ArrayList<>();
    while (in.hasNext()) {
      switch (in.next()) {
        case SET_TYPE -> type = in.varint();
        case ADDS -> adds.add(in.bytes());
        case REMOVALS -> removals.add(in.bytes());
        default -> in.skip();
      }
    }
    if (type != ADD && type != REMOVE) {
      throw new ProtocolException("a set operation has type ADD=1 or REMOVE=2, not " + type);
    }
    return new WireOperation.Elements(type == ADD, type == ADD ? adds : removals);
  }

  private static void writeElements(WireWriter out, WireOperation.Elements elements) {
    out.strings(elements.add() ? ADDS : REMOVALS, elements.elements());
    out.varint(SET_TYPE, elements.add() ? ADD : REMOVE);
  }

  private static WireOperation readAssign(WireReader in) {
    Bytes value = null;
    while (in.hasNext()) {
      if (in.next() == VALUE) {
        value = in.bytes();
      } else {
        in.skip();
      }
    }
    return new WireOperation.Assign(required(value, "a register's value"));
  }

  private static WireOperation readFlag(WireReader in) {
    Boolean value = null;
    while (in.hasNext()) {
      if (in.next() == VALUE) {
        value = in.bool();
      } else {
        in.skip();
      }
    }
    return new WireOperation.Flag(required(value, "a flag's value"));
  }

  private static WireOperation readReset(WireReader in) {
    while (in.hasNext()) {
      in.next();
      in.skip();
    }
    return new WireOperation.Reset();
  }

  private static WireOperation readEntries(WireReader in) {
    List<WireOperation.Nested> updates = new ArrayList<>();
    List<WireMapKey> removed = new ArrayList<>();
    while (in.hasNext()) {
      switch (in.next()) {
        case UPDATES -> updates.add(in.message(OperationCodec::readNested));
        case REMOVED_KEYS -> removed.add(in.message(ObjectCodec::readPlace));
        default -> in.skip();
      }
    }
    return new WireOperation.Entries(updates, removed);
  }

  private static void writeEntries(WireWriter out, WireOperation.Entries entries) {
    out.messages(REMOVED_KEYS, entries.removed(), ObjectCodec::writePlace);
    out.messages(UPDATES, entries.updates(), OperationCodec::writeNested);
  }

  private static WireOperation.Nested readNested(WireReader in) {
    WireMapKey place = null;
    WireOperation operation = null;
    while (in.hasNext()) {
      switch (in.next()) {
        case PLACE -> place = in.message(ObjectCodec::readPlace);
        case OPERATION -> operation = in.message(OperationCodec::read);
        default -> in.skip();
      }
    }
    return new WireOperation.Nested(
        required(place, "the key of a map update"),
        required(operation, "the operation of a map update"));
  }

  private static void writeNested(WireWriter out, WireOperation.Nested nested) {
    out.message(OPERATION, () -> write(out, nested.operation()));
    out.message(PLACE, () -> ObjectCodec.writePlace(out, nested.place()));
  }
}
