package io.github.stablecut.object;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.StreamFold;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.codec.QuestionCodec;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.object.Operation.Logged;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A type of objects that are replicated by logging what is called on them (state machine
 * replication; Wei et al., "vCorfu", NSDI 2017, section 4): a first state, and operations on
 * immutable states.
 *
 * <pre>{@code
 * record Stock(Map<String, Integer> items) { ... }
 *
 * static final Mutator<Stock, String> PUT = Operation.mutator("put", Codec.string(), Stock::with);
 * static final MutatorAccessor<Stock, String, Boolean> TAKE =
 *     Operation.mutatorAccessor("take", Codec.string(), Stock::take);
 * static final ObjectType<Stock> STOCK = ObjectType.of("stock", CODEC, Stock.EMPTY).with(PUT, TAKE);
 * }</pre>
 *
 * <p>Names of types and operations, and the bytes of arguments and states, are on disk: they must
 * mean the same for ever. An operation may be added, and one that is not called any more must stay
 * as long as logs hold calls of it. Immutable.
 *
 * @param <S> the states; immutable
 */
public final class ObjectType<S> {
  private final String name;
  private final int version;
  private final Codec<S> states;
  private final S first;
  private final Map<String, Operation<S>> operations;
  private final Fold fold;

  private ObjectType(
      String name, int version, Codec<S> states, S first, Map<String, Operation<S>> operations) {
    this.name = Objects.requireNonNull(name, "name");
    this.version = version;
    this.states = Objects.requireNonNull(states, "states");
    this.first = Objects.requireNonNull(first, "first");
    this.operations = operations;
    this.fold = new Fold();
  }

  /**
   * A type without operations.
   *
   * @param name is in the log of each object of the type
   * @param states encodes states, from which objects are opened without all of their calls; equal
   *     states must have equal bytes
   * @param first the state of an object that nothing was called on
   */
  public static <S> ObjectType<S> of(String name, Codec<S> states, S first) {
    return new ObjectType<>(name, 1, states, first, Map.of());
  }

  /**
   * This type with more operations.
   *
   * @throws IllegalArgumentException if it has one of the same name
   */
  @SafeVarargs
  public final ObjectType<S> with(Operation<S>... more) {
    Map<String, Operation<S>> all = new LinkedHashMap<>(operations);
    for (Operation<S> operation : more) {
      if (all.put(operation.name(), operation) != null) {
        throw new IllegalArgumentException(
            "type %s has an operation %s already: give each a name of its own"
                .formatted(name, operation.name()));
      }
    }
    return new ObjectType<>(name, version, states, first, all);
  }

  /**
   * This type in another version, 1 unless something else is said. It is not on disk: it keeps
   * nodes apart that would execute operations of the same names differently.
   */
  public ObjectType<S> withVersion(int number) {
    return new ObjectType<>(name, number, states, first, operations);
  }

  /** The name. */
  public String name() {
    return name;
  }

  /** The version. */
  public int version() {
    return version;
  }

  /** Name, version and operations, as nodes compare them. */
  String description() {
    return "%s %d %s".formatted(name, version, operations.keySet().stream().sorted().toList());
  }

  /** The operation of a name; empty if there is none. */
  Optional<Operation<S>> operation(String named) {
    return Optional.ofNullable(operations.get(named));
  }

  /** Makes states of logs. */
  StreamFold<S> fold() {
    return fold;
  }

  /**
   * The entry of a call in a log.
   *
   * @throws IllegalArgumentException if the type does not have the operation
   */
  <A> Bytes entry(Logged<S, A> operation, A argument) {
    Bytes call = fold.names.get(operation.name());
    if (call == null || operations.get(operation.name()) != operation) {
      throw new IllegalArgumentException(
          "type %s has no operation %s: make the type with it".formatted(name, operation.name()));
    }
    Bytes encoded = operation.argument().encode(argument);
    return QuestionCodec.encode(
        out -> {
          out.writeBytes(call);
          out.writeBytes(encoded);
        });
  }

  /** A state in the place of the calls that made it. */
  Bytes summary(S state) {
    Bytes encoded = states.encode(state);
    return QuestionCodec.encode(
        out -> {
          out.writeBytes(Bytes.utf8(name));
          out.writeBytes(encoded);
        });
  }

  Bytes encode(S state) {
    return states.encode(state);
  }

  /** The name of the operation that an entry is a call of. */
  static String nameOf(Bytes entry) {
    return QuestionCodec.decode(
        entry,
        in -> {
          Bytes call = in.readBytes();
          Bytes argument = in.readBytes();
          return "%s (%,d bytes)".formatted(call.toUtf8(), argument.length());
        });
  }

  private record Call(Bytes operation, Bytes argument) {}

  /** Executes calls. */
  private final class Fold implements StreamFold<S> {
    /** What stands for each operation in logs. */
    private final Map<String, Bytes> names = new HashMap<>();

    private final Map<Bytes, Logged<S, ?>> logged = new HashMap<>();

    Fold() {
      for (Operation<S> operation : operations.values()) {
        if (operation instanceof Logged<S, ?> one) {
          Bytes call = Bytes.utf8(name + "." + operation.name());
          names.put(operation.name(), call);
          logged.put(call, one);
        }
      }
    }

    @Override
    public S begin(Optional<Bytes> summary) {
      return summary.isEmpty() ? first : stateIn(summary.get());
    }

    private S stateIn(Bytes summary) {
      Call parts = QuestionCodec.decode(summary, in -> new Call(in.readBytes(), in.readBytes()));
      if (!parts.operation.toUtf8().equals(name)) {
        throw new TypeMismatchException(
            "the object is of type %s, not %s: open it with its type"
                .formatted(parts.operation.toUtf8(), name));
      }
      return states.decode(parts.argument);
    }

    @Override
    public S next(S made, Bytes entry) {
      Call call = QuestionCodec.decode(entry, in -> new Call(in.readBytes(), in.readBytes()));
      Logged<S, ?> operation = logged.get(call.operation);
      if (operation == null) {
        throw new TypeMismatchException(
            "the object's log has a call of %s, which type %s does not have: it knows %s"
                .formatted(call.operation.toUtf8(), name, known()));
      }
      return applied(operation, made, call.argument);
    }

    private List<String> known() {
      return new ArrayList<>(names.keySet());
    }

    private <A> S applied(Logged<S, A> operation, S state, Bytes argument) {
      A given = operation.argument().decode(argument);
      try {
        return Objects.requireNonNull(operation.apply(state, given));
      } catch (FormatException e) {
        throw e;
      } catch (RuntimeException e) {
        return state; // a call that throws has no effect, wherever it is executed
      }
    }
  }

  @Override
  public String toString() {
    return "type " + name;
  }
}
