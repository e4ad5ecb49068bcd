package io.github.stablecut.object;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.stream.StreamFold;
import io.github.stablecut.crdt.stream.StreamValue;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.object.Operation.Logged;
import io.github.stablecut.object.OperationNames.NamedBytes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A type of objects that are replicated by logging their calls (state machine replication; Wei et
 * al., "vCorfu", NSDI 2017, section 4): an initial state, and operations on immutable states.
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
 * <p>Names of types and operations, and the bytes of arguments and states, are on disk: their
 * meaning must never change. Operations may be added. An obsolete operation must stay as long as
 * logs hold calls of it. Immutable.
 *
 * @param <S> the states; immutable
 */
public final class ObjectType<S> {
  /** Stands for a type in messages about logs whose entries are not calls. */
  private static final String NO_TYPE = "(none: the entries of the stream are not calls)";

  private final String name;
  private final int version;
  private final Codec<S> states;
  private final S first;
  private final Map<String, Operation<S>> operations;
  private final Fold fold;

  private ObjectType(
      String name, int version, Codec<S> states, S first, Map<String, Operation<S>> operations) {
    this.name = OperationNames.checked("a type", name);
    this.version = version;
    this.states = Objects.requireNonNull(states, "states");
    this.first = Objects.requireNonNull(first, "first");
    this.operations = operations;
    this.fold = new Fold();
  }

  /**
   * Creates a type without operations.
   *
   * @param name written to the log of each object of the type; 1 to 255 bytes of UTF-8
   * @param states encodes states, so that objects can be opened without replaying all of their
   *     calls; equal states must have equal bytes
   * @param first the state of an object that has had no calls
   */
  public static <S> ObjectType<S> of(String name, Codec<S> states, S first) {
    return new ObjectType<>(name, 1, states, first, Map.of());
  }

  /**
   * Returns this type with additional operations.
   *
   * @throws IllegalArgumentException if two operations have the same name
   */
  @SafeVarargs
  public final ObjectType<S> with(Operation<S>... more) {
    Map<String, Operation<S>> all = new LinkedHashMap<>(operations);
    for (Operation<S> operation : more) {
      if (all.put(operation.name(), operation) != null) {
        throw new IllegalArgumentException(
            "type %s already has an operation %s: give each operation its own name"
                .formatted(name, operation.name()));
      }
    }
    return new ObjectType<>(name, version, states, first, all);
  }

  /**
   * Returns this type with another version; the default is 1. The version is not on disk: it
   * separates nodes that would execute operations of the same names differently.
   */
  public ObjectType<S> withVersion(int number) {
    return new ObjectType<>(name, number, states, first, operations);
  }

  /** Returns the name. */
  public String name() {
    return name;
  }

  /** Returns the version. */
  public int version() {
    return version;
  }

  /** Returns the name, version and operations, as nodes compare them. */
  String description() {
    return "%s %d %s".formatted(name, version, operations.keySet().stream().sorted().toList());
  }

  /** Returns the operation of a name; empty if there is none. */
  Optional<Operation<S>> operation(String named) {
    return Optional.ofNullable(operations.get(named));
  }

  /** Returns the fold that turns logs into states. */
  StreamFold<LoadedState<S>> fold() {
    return fold;
  }

  /**
   * Returns the state that a log produces.
   *
   * @throws TypeMismatchException if the log belongs to an object of another type, or has calls of
   *     operations that this type lacks
   */
  S state(StreamValue log) {
    return log.fold(fold).state();
  }

  /**
   * A call as it is logged.
   *
   * @param bytes the entry of the log
   * @param argument the argument as every reader of the log decodes it
   */
  record Entry<A>(Bytes bytes, A argument) {}

  /**
   * Returns the log entry of a call.
   *
   * @throws IllegalArgumentException if the type lacks the operation, or the encoded argument can't
   *     be decoded
   */
  <A> Entry<A> entry(Logged<S, A> operation, A argument) {
    Bytes call = fold.names.get(operation.name());
    if (call == null || operations.get(operation.name()) != operation) {
      throw new IllegalArgumentException(
          "type %s has no operation %s: add the operation to the type"
              .formatted(name, operation.name()));
    }
    Bytes encoded = operation.argument().encode(argument);
    try {
      A decoded = operation.argument().decode(encoded);
      return new Entry<>(new NamedBytes(call, encoded).encoded(), decoded);
    } catch (RuntimeException e) {
      throw new IllegalArgumentException(
          "the codec can't read back the argument of operation %s of type %s, and nothing was changed: correct the codec"
              .formatted(operation.name(), name),
          e);
    }
  }

  /**
   * Returns the summary that replaces the calls behind a state. It is empty if the codec of states
   * refuses the state or can't decode its own output.
   */
  Optional<Bytes> summary(S state) {
    try {
      Bytes encoded = encode(state);
      return encode(decode(encoded)).equals(encoded)
          ? Optional.of(new NamedBytes(Bytes.utf8(name), encoded).encoded())
          : Optional.empty();
    } catch (Throwable e) {
      UserCodeFailures.rethrowIfFatal(e);
      return Optional.empty();
    }
  }

  Bytes encode(S state) {
    return DeepStackCall.ifNeeded(() -> states.encode(state));
  }

  private S decode(Bytes state) {
    return DeepStackCall.ifNeeded(() -> states.decode(state));
  }

  /** Returns the name of the type of a log's object; empty if the log has no calls. */
  static Optional<Bytes> typeOf(StreamValue log) {
    Optional<Bytes> summary = log.summary();
    return summary.isPresent()
        ? Optional.of(NamedBytes.of(summary.get()).name())
        : log.entries(log.first(), log.first() + 1).stream()
            .findFirst()
            .map(entry -> Bytes.utf8(typeOf(entry).orElse(NO_TYPE)));
  }

  private static Optional<String> typeOf(Bytes entry) {
    return NamedBytes.ifCall(entry).flatMap(call -> OperationNames.typeOf(call.name()));
  }

  /**
   * Checks the object's type.
   *
   * @param found the name of that type
   */
  void check(String found) {
    if (!found.equals(name)) {
      throw new TypeMismatchException(
          "the object is of type %s, not of type %s: open it with its type".formatted(found, name));
    }
  }

  /** Returns the name of the operation that an entry calls. */
  static String nameOf(Bytes entry) {
    return NamedBytes.ifCall(entry)
        .map(call -> "%s (%,d bytes)".formatted(call.name().toUtf8(), call.rest().length()))
        .orElse("which is not a call");
  }

  /**
   * Executes calls. The first call in a log determines the type of the object.
   *
   * <p>Some entries have no effect, and every reader skips the same ones: calls of another type
   * that were concurrent with the first one, entries that are not calls, and calls that throw. A
   * failure of this process alone is different: its code lacks an operation, its codec can't read
   * the bytes, or classes or memory are missing. The read then fails, and nothing is cached.
   */
  private final class Fold implements StreamFold<LoadedState<S>> {
    /** The bytes that represent each operation in logs. */
    private final Map<String, Bytes> names = new HashMap<>();

    private final Map<Bytes, Logged<S, ?>> logged = new HashMap<>();

    Fold() {
      for (Operation<S> operation : operations.values()) {
        if (operation instanceof Logged<S, ?> one) {
          Bytes call = OperationNames.call(name, operation.name());
          names.put(operation.name(), call);
          logged.put(call, one);
        }
      }
    }

    @Override
    public LoadedState<S> begin(Optional<Bytes> summary) {
      if (summary.isEmpty()) {
        return new LoadedState<>(first, false);
      }
      NamedBytes parts = NamedBytes.of(summary.get());
      check(parts.name().toUtf8());
      return new LoadedState<>(decode(parts.rest()), true);
    }

    @Override
    public LoadedState<S> next(LoadedState<S> made, Bytes entry) {
      Optional<NamedBytes> call = NamedBytes.ifCall(entry);
      Logged<S, ?> operation = call.map(NamedBytes::name).map(logged::get).orElse(null);
      if (call.isPresent() && operation != null) {
        return new LoadedState<>(applied(operation, made.state(), call.get().rest()), true);
      }
      String found = typeOf(entry).orElse(NO_TYPE);
      if (!made.isTyped()) {
        check(found);
      }
      if (found.equals(name)) {
        throw new TypeMismatchException(
            "the object's log has a call of %s, which type %s does not have here, only %s: open the object with the code that has the operation"
                .formatted(nameOf(entry), name, new ArrayList<>(names.keySet())));
      }
      return made;
    }

    private <A> S applied(Logged<S, A> operation, S state, Bytes argument) {
      A decodedArgument = operation.argument().decode(argument);
      try {
        return changed(operation, state, decodedArgument);
      } catch (StackOverflowError e) {
        return DeepStackCall.execute(() -> changedDeeply(operation, state, decodedArgument));
      }
    }

    private <A> S changedDeeply(Logged<S, A> operation, S state, A decodedArgument) {
      try {
        return changed(operation, state, decodedArgument);
      } catch (StackOverflowError e) {
        return state; // infinite recursion
      }
    }

    private <A> S changed(Logged<S, A> operation, S state, A decodedArgument) {
      try {
        return Objects.requireNonNull(
            PureExecution.of(() -> operation.apply(state, decodedArgument)));
      } catch (VirtualMachineError | LinkageError e) {
        throw e;
      } catch (Throwable e) {
        return UserCodeFailures.isInterruption(e)
            ? changedUninterrupted(operation, state, decodedArgument)
            : state; // a call that throws has no effect, on any node
      }
    }

    /**
     * Repeats a call on a thread that nobody interrupts. An interruption of the reader's thread
     * says nothing about the call itself.
     */
    private <A> S changedUninterrupted(Logged<S, A> operation, S state, A decodedArgument) {
      AtomicBoolean isInterrupted = new AtomicBoolean(true);
      S changed =
          DeepStackCall.execute(
              () -> {
                try {
                  return Objects.requireNonNull(
                      PureExecution.of(() -> operation.apply(state, decodedArgument)));
                } catch (Throwable e) {
                  UserCodeFailures.rethrowIfFatal(e);
                  // The call itself throws this, for every reader.
                  isInterrupted.set(!UserCodeFailures.isInterruption(e));
                  return state;
                }
              });
      if (isInterrupted.get()) {
        Thread.currentThread().interrupt();
      }
      return changed;
    }
  }

  @Override
  public String toString() {
    return "type " + name;
  }
}
