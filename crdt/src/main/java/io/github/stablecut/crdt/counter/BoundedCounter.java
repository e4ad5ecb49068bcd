package io.github.stablecut.crdt.counter;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.MissingRightsException;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.crdt.internal.state.HeldAs;
import io.github.stablecut.crdt.internal.tree.PersistentMap;
import java.math.BigInteger;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A counter that never falls below 0 (Balegas et al., "Extending Eventually Consistent Cloud
 * Databases for Enforcing Numeric Invariants", SRDS 2015). Its value is divided among the data
 * centres as <em>rights</em>: a data centre may subtract as much as it has rights for without
 * coordination.
 *
 * <table>
 * <caption>Operations</caption>
 * <tr><th>operation</th><th>effect</th><th>concurrent operations</th></tr>
 * <tr><td>{@link Increment}</td><td>adds rights to its data centre: blind</td><td>add up</td></tr>
 * <tr><td>{@link Decrement}</td><td>spends rights of its data centre; refused without them</td><td>add up, because each spends different rights</td></tr>
 * <tr><td>{@link Transfer}</td><td>moves rights of its data centre to another; refused without
 * them</td><td>likewise</td></tr>
 * </table>
 *
 * <p>Decrements and transfers spend rights. Two transactions of one data centre that read the same
 * snapshot would spend the same rights. So decrements and transfers always require certification
 * ({@link CrdtType#needsCertification}), whatever the transaction requests: the second to commit is
 * aborted, and refused on its retry if the rights are used up. Transactions of different data
 * centres spend different rights.
 *
 * <p>Value: increments minus decrements, from 0 to 2^63-1. Space: a number per data centre, and one
 * per ordered pair of data centres with a transfer. Inside a map that supports removal, a decrement
 * or transfer may outlive the increments that created its rights. It then counts against later
 * increments of its data centre, and the value still does not fall below 0. The receiver keeps the
 * transferred rights.
 */
public final class BoundedCounter
    implements CrdtType<
        BoundedCounter.State, BoundedCounter.Operation, BoundedCounter.Effect, Long> {
  /** The type. */
  public static final BoundedCounter TYPE = new BoundedCounter();

  /**
   * The same type with the rights of each data centre as its value, by data centre number. Includes
   * every data centre that ever incremented the counter or received a transfer. For reading only.
   */
  public static final CrdtType<State, Operation, Effect, SortedMap<Integer, Long>> RIGHTS =
      HeldAs.shown(TYPE, (state, snapshot) -> rights(state));

  private static final State EMPTY =
      new State(PersistentMap.empty(), PersistentMap.empty(), PersistentMap.empty());
  private static final BigInteger MAX = BigInteger.valueOf(Long.MAX_VALUE);
  private static final int MIN_BYTES = 2;

  private static final int INCREMENT = 0;
  private static final int DECREMENT = 1;
  private static final int TRANSFER = 2;

  private BoundedCounter() {}

  /** The operations on the counter. */
  public sealed interface Operation {}

  /**
   * Adds an amount.
   *
   * @param amount above 0
   */
  public record Increment(long amount) implements Operation {
    /** Checks the amount. */
    public Increment {
      checkAmount(amount, "use decrement to subtract");
    }
  }

  /**
   * Subtracts an amount.
   *
   * @param amount above 0
   */
  public record Decrement(long amount) implements Operation {
    /** Checks the amount. */
    public Decrement {
      checkAmount(amount, "use increment to add");
    }
  }

  /**
   * Moves rights to another data centre. A transfer to the data centre's own number changes
   * nothing.
   *
   * @param amount above 0
   * @param to the number of the receiving data centre
   */
  public record Transfer(long amount, int to) implements Operation {
    /** Checks the amount. */
    public Transfer {
      checkAmount(amount, "to get rights back, transfer them at the other data centre");
      if (to < 0 || to >= VectorClock.MAX_DATA_CENTRES) {
        throw new OperationRefusedException("there is no data centre " + to);
      }
    }
  }

  /**
   * Refuses amounts that are not above 0.
   *
   * @param opposite the advice for a negative amount: the operation that has the intended result
   */
  private static void checkAmount(long amount, String opposite) {
    if (amount <= 0) {
      throw new OperationRefusedException(
          "bounded counter: the amount must be above 0, not %d; %s"
              .formatted(amount, amount == 0 ? "omit the operation" : opposite));
    }
  }

  /** The change of the counter. */
  public sealed interface Effect {}

  /** An increment: adds rights to a data centre. */
  public record Added(int dataCentre, long amount) implements Effect {}

  /** A decrement: spends rights of a data centre. */
  public record Used(int dataCentre, long amount) implements Effect {}

  /** A transfer of rights. */
  public record Moved(Direction direction, long amount) implements Effect {}

  /** The direction of a transfer: from one data centre to another. */
  public record Direction(int from, int to) implements Comparable<Direction> {
    @Override
    public int compareTo(Direction other) {
      return from == other.from ? Integer.compare(to, other.to) : Integer.compare(from, other.from);
    }
  }

  /**
   * The sums of all effects. Each amount is below 2^63; the sums are unbounded.
   *
   * @param added the rights created at each data centre
   * @param used the rights that each data centre has spent
   * @param moved the rights transferred in each direction
   */
  public record State(
      PersistentMap<Integer, BigInteger> added,
      PersistentMap<Integer, BigInteger> used,
      PersistentMap<Direction, BigInteger> moved) {}

  @Override
  public int typeId() {
    return 5;
  }

  @Override
  public String name() {
    return "bounded counter";
  }

  @Override
  public State initial() {
    return EMPTY;
  }

  @Override
  public boolean needsState(Operation operation) {
    return !(operation instanceof Increment);
  }

  @Override
  public boolean needsCertification(Operation operation) {
    return !(operation instanceof Increment);
  }

  @Override
  public Effect downstream(Operation operation, State state, OperationContext context) {
    int localDataCentre = context.dataCentre();
    if (operation instanceof Increment increment) {
      return new Added(localDataCentre, increment.amount);
    }
    if (operation instanceof Decrement decrement) {
      checkRights("decrement", decrement.amount, state, localDataCentre);
      return new Used(localDataCentre, decrement.amount);
    }
    Transfer transfer = (Transfer) operation;
    checkRights("transfer", transfer.amount, state, localDataCentre);
    return new Moved(new Direction(localDataCentre, transfer.to), transfer.amount);
  }

  private static void checkRights(String what, long amount, State state, int localDataCentre) {
    long rights = rights(state, localDataCentre);
    if (amount > rights) {
      throw new MissingRightsException(
          "bounded counter: a %s of %d needs as many rights, but data centre %d has %d of the total %d; increment there, or transfer rights to it"
              .formatted(what, amount, localDataCentre, rights, total(state)),
          amount - rights,
          rights(state));
    }
  }

  /** Returns the amount that a data centre may subtract. */
  public static long rights(State state, int dataCentre) {
    BigInteger rights =
        state
            .added
            .getOrDefault(dataCentre, BigInteger.ZERO)
            .subtract(state.used.getOrDefault(dataCentre, BigInteger.ZERO));
    for (Map.Entry<Direction, BigInteger> moved : state.moved) {
      BigInteger amount = moved.getValue();
      rights = moved.getKey().to == dataCentre ? rights.add(amount) : rights;
      rights = moved.getKey().from == dataCentre ? rights.subtract(amount) : rights;
    }
    return rights.max(BigInteger.ZERO).min(MAX).longValue();
  }

  @Override
  public Optional<Operation> operation(Effect effect) {
    if (effect instanceof Added added) {
      return Optional.of(new Increment(added.amount));
    }
    return Optional.of(
        effect instanceof Used used
            ? new Decrement(used.amount)
            : new Transfer(((Moved) effect).amount, ((Moved) effect).direction.to));
  }

  @Override
  public State apply(State state, Effect effect, EffectOrigin origin) {
    if (effect instanceof Added added) {
      return new State(plus(state.added, added.dataCentre, added.amount), state.used, state.moved);
    }
    if (effect instanceof Used used) {
      return new State(state.added, plus(state.used, used.dataCentre, used.amount), state.moved);
    }
    Moved moved = (Moved) effect;
    return moved.direction.from == moved.direction.to
        ? state
        : new State(state.added, state.used, plus(state.moved, moved.direction, moved.amount));
  }

  private static <K extends Comparable<K>> PersistentMap<K, BigInteger> plus(
      PersistentMap<K, BigInteger> sums, K key, long amount) {
    return sums.with(key, sums.getOrDefault(key, BigInteger.ZERO).add(BigInteger.valueOf(amount)));
  }

  @Override
  public Long value(State state, VectorClock snapshot) {
    return total(state);
  }

  private static long total(State state) {
    BigInteger total = BigInteger.ZERO;
    for (long rights : rights(state).values()) {
      total = total.add(BigInteger.valueOf(rights));
    }
    return total.min(MAX).longValue();
  }

  private static SortedMap<Integer, Long> rights(State state) {
    SortedMap<Integer, Long> rights = new TreeMap<>();
    state.added.forEach((dataCentre, amount) -> rights.put(dataCentre, rights(state, dataCentre)));
    state.moved.forEach(
        (direction, amount) -> rights.put(direction.to, rights(state, direction.to)));
    return Collections.unmodifiableSortedMap(rights);
  }

  @Override
  public State prune(State state, VectorClock frontier) {
    return state;
  }

  @Override
  public boolean isSettled(State state) {
    return true;
  }

  @Override
  public void writeOperation(Operation operation, Encoder out) {
    if (operation instanceof Increment increment) {
      out.writeByte(INCREMENT);
      out.writeUnsigned(increment.amount);
    } else if (operation instanceof Decrement decrement) {
      out.writeByte(DECREMENT);
      out.writeUnsigned(decrement.amount);
    } else {
      Transfer transfer = (Transfer) operation;
      out.writeByte(TRANSFER);
      out.writeUnsigned(transfer.amount);
      out.writeUnsigned(transfer.to);
    }
  }

  @Override
  public Operation readOperation(Decoder in) {
    int kind = in.readByte();
    return switch (kind) {
      case INCREMENT -> new Increment(in.readUnsigned());
      case DECREMENT -> new Decrement(in.readUnsigned());
      case TRANSFER -> new Transfer(in.readUnsigned(), in.readIndex());
      default ->
          throw new FormatException(
              "unknown kind of bounded counter operation, expected 0 to 2: " + kind);
    };
  }

  @Override
  public void writeState(State state, Encoder out) {
    state.added.write(out, BoundedCounter::writeDataCentre, BoundedCounter::writeSum);
    state.used.write(out, BoundedCounter::writeDataCentre, BoundedCounter::writeSum);
    state.moved.write(out, BoundedCounter::writeDirection, BoundedCounter::writeSum);
  }

  @Override
  public State readState(Decoder in) {
    return new State(
        PersistentMap.read(in, MIN_BYTES, BoundedCounter::readDataCentre, BoundedCounter::readSum),
        PersistentMap.read(in, MIN_BYTES, BoundedCounter::readDataCentre, BoundedCounter::readSum),
        PersistentMap.read(
            in, MIN_BYTES + 1, BoundedCounter::readDirection, BoundedCounter::readSum));
  }

  @Override
  public void writeEffect(Effect effect, Encoder out) {
    if (effect instanceof Added added) {
      out.writeByte(0);
      writeDataCentre(added.dataCentre, out);
      writeAmount(added.amount, out);
    } else if (effect instanceof Used used) {
      out.writeByte(1);
      writeDataCentre(used.dataCentre, out);
      writeAmount(used.amount, out);
    } else {
      Moved moved = (Moved) effect;
      out.writeByte(2);
      writeDirection(moved.direction, out);
      writeAmount(moved.amount, out);
    }
  }

  @Override
  public Effect readEffect(Decoder in) {
    int kind = in.readByte();
    return switch (kind) {
      case 0 -> new Added(readDataCentre(in), readAmount(in));
      case 1 -> new Used(readDataCentre(in), readAmount(in));
      case 2 -> new Moved(readDirection(in), readAmount(in));
      default ->
          throw new FormatException(
              "unknown kind of bounded counter effect, expected 0 to 2: " + kind);
    };
  }

  private static void writeDataCentre(int dataCentre, Encoder out) {
    out.writeUnsigned(dataCentre);
  }

  private static int readDataCentre(Decoder in) {
    int dataCentre = in.readIndex();
    if (dataCentre >= VectorClock.MAX_DATA_CENTRES) {
      throw new FormatException("there is no data centre " + dataCentre);
    }
    return dataCentre;
  }

  private static void writeDirection(Direction direction, Encoder out) {
    writeDataCentre(direction.from, out);
    writeDataCentre(direction.to, out);
  }

  private static Direction readDirection(Decoder in) {
    return new Direction(readDataCentre(in), readDataCentre(in));
  }

  /**
   * Writes a sum below 2^63 as one number. Greater sums, which are rare, become three: 0, the bits
   * above the lowest 63, and the lowest 63 bits.
   */
  private static void writeSum(BigInteger sum, Encoder out) {
    if (sum.compareTo(MAX) <= 0) {
      out.writeUnsigned(sum.longValueExact());
    } else {
      out.writeUnsigned(0);
      out.writeUnsigned(sum.shiftRight(Long.SIZE - 1).longValueExact());
      out.writeUnsigned(sum.and(MAX).longValueExact());
    }
  }

  private static BigInteger readSum(Decoder in) {
    long sum = in.readUnsigned();
    if (sum > 0) {
      return BigInteger.valueOf(sum);
    }
    long high = in.readUnsigned();
    if (high == 0) {
      throw new FormatException("a sum must be above 0, and written as one number if below 2^63");
    }
    return BigInteger.valueOf(high)
        .shiftLeft(Long.SIZE - 1)
        .or(BigInteger.valueOf(in.readUnsigned()));
  }

  private static void writeAmount(long amount, Encoder out) {
    out.writeUnsigned(amount);
  }

  private static long readAmount(Decoder in) {
    long amount = in.readUnsigned();
    if (amount == 0) {
      throw new FormatException("an amount must be above 0, not 0");
    }
    return amount;
  }
}
