package io.github.stablecut.cluster.internal.exchange;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.github.stablecut.CausalToken;
import io.github.stablecut.Scan;
import io.github.stablecut.Store;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.counter.BoundedCounter;
import io.github.stablecut.crdt.counter.FatCounter;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.crdt.register.DisableWinsFlag;
import io.github.stablecut.crdt.register.EnableWinsFlag;
import io.github.stablecut.crdt.register.LwwRegister;
import io.github.stablecut.crdt.register.MvRegister;
import io.github.stablecut.crdt.set.AddWinsSet;
import io.github.stablecut.crdt.set.GrowOnlySet;
import io.github.stablecut.crdt.set.RemoveWinsSet;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.error.UsageException;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.BoundedCounterKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.FlagKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.MultiValueRegisterKey;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.key.RemoveWinsSetKey;
import io.github.stablecut.key.ResettableCounterKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.ScanOptions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Textual operations on objects, such as {@code increment 3}, for people and scripts. Values are
 * text.
 */
public final class ObjectUpdates {
  /** The operations of types; the first type with an operation is that operation's default. */
  private static final List<Operations> TYPES =
      List.of(
          new Operations(
              PnCounter.TYPE.name(),
              Map.of(
                  "increment", request -> counter(request).increment(request.number()),
                  "decrement", request -> counter(request).decrement(request.number()))),
          new Operations(
              LwwRegister.TYPE.name(),
              Map.of(
                  "assign", request -> register(request).assign(request.text()),
                  "clear", request -> register(request).clear())),
          new Operations(
              AddWinsSet.TYPE.name(),
              Map.of(
                  "add", request -> addWins(request).add(request.text()),
                  "remove", request -> addWins(request).remove(request.text()),
                  "clear", request -> addWins(request).clear())),
          new Operations(
              EnableWinsFlag.TYPE.name(),
              flag(request -> Key.enableWinsFlag(request.bucket, request.key))),
          new Operations(
              DisableWinsFlag.TYPE.name(),
              flag(request -> Key.disableWinsFlag(request.bucket, request.key))),
          new Operations(
              RemoveWinsSet.TYPE.name(),
              Map.of(
                  "add", request -> removeWins(request).add(request.text()),
                  "remove", request -> removeWins(request).remove(request.text()),
                  "clear", request -> removeWins(request).clear())),
          new Operations(
              GrowOnlySet.TYPE.name(),
              Map.of(
                  "add",
                  request ->
                      Key.growOnlySet(request.bucket, request.key, Codec.string())
                          .add(request.text()))),
          new Operations(
              MvRegister.TYPE.name(),
              Map.of(
                  "assign", request -> siblings(request).assign(request.text()),
                  "clear", request -> siblings(request).clear())),
          new Operations(
              FatCounter.TYPE.name(),
              Map.of(
                  "increment", request -> resettable(request).increment(request.number()),
                  "decrement", request -> resettable(request).decrement(request.number()),
                  "reset", request -> resettable(request).reset())),
          new Operations(
              BoundedCounter.TYPE.name(),
              Map.of(
                  "increment", request -> bounded(request).increment(request.number()),
                  "decrement", request -> bounded(request).decrement(request.number()))));

  /** A type and its operations by name. */
  private record Operations(String type, Map<String, Function<Request, Update>> byName) {}

  private ObjectUpdates() {}

  /**
   * A requested operation.
   *
   * @param operation such as {@code increment}
   * @param value the argument; empty if the operation needs none, or for 1
   * @param type the type that the object has or will get; empty for its present type, or the
   *     operation's default
   */
  public record Request(
      String bucket, String key, String operation, Optional<String> value, Optional<String> type) {
    private String text() {
      return value.orElseThrow(() -> refused(operation + " needs a value"));
    }

    private long number() {
      String text = value.orElse("1");
      try {
        return Long.parseLong(text);
      } catch (NumberFormatException e) {
        throw refused("%s needs a number, not \"%s\"".formatted(operation, text));
      }
    }
  }

  private static Map<String, Function<Request, Update>> flag(Function<Request, FlagKey> key) {
    return Map.of(
        "enable", request -> key.apply(request).enable(),
        "disable", request -> key.apply(request).disable());
  }

  private static CounterKey counter(Request request) {
    return Key.counter(request.bucket, request.key);
  }

  private static ResettableCounterKey resettable(Request request) {
    return Key.resettableCounter(request.bucket, request.key);
  }

  private static BoundedCounterKey bounded(Request request) {
    return Key.boundedCounter(request.bucket, request.key);
  }

  private static RegisterKey<String> register(Request request) {
    return Key.register(request.bucket, request.key, Codec.string());
  }

  private static MultiValueRegisterKey<String> siblings(Request request) {
    return Key.multiValueRegister(request.bucket, request.key, Codec.string());
  }

  private static AddWinsSetKey<String> addWins(Request request) {
    return Key.addWinsSet(request.bucket, request.key, Codec.string());
  }

  private static RemoveWinsSetKey<String> removeWins(Request request) {
    return Key.removeWinsSet(request.bucket, request.key, Codec.string());
  }

  private static OperationRefusedException refused(String why) {
    return new OperationRefusedException(why);
  }

  /**
   * Executes an operation and waits for its commit.
   *
   * @return the time and token of the commit, as JSON
   * @throws io.github.stablecut.error.UsageException if the object does not have the operation
   */
  public static String update(Store store, Request request) {
    Optional<String> type = typeOf(store, request);
    List<Operations> known =
        TYPES.stream()
            .filter(
                candidate ->
                    type.map(candidate.type::equals)
                        .orElse(candidate.byName.containsKey(request.operation)))
            .toList();
    if (known.isEmpty() && type.isPresent() && request.type.isEmpty()) {
      throw refused(
          "\"%s\" in bucket \"%s\" has the type %s, which has no textual operations: change it by a program"
              .formatted(request.key, request.bucket, type.get()));
    }
    CausalToken token = update(store, request, known);
    return JsonNodeFactory.instance
        .objectNode()
        .put("time", token.time().toString())
        .put("token", token.toText())
        .toString();
  }

  /** Returns the object's type, or the requested one; empty if neither is known. */
  private static Optional<String> typeOf(Store store, Request request) {
    if (request.type.isPresent()) {
      return request.type;
    }
    ScanOptions one =
        ScanOptions.bucket(request.bucket).from(request.key).through(request.key).keysOnly();
    try (Scan scan = store.snapshot().scan(one)) {
      return scan.hasNext() ? Optional.of(scan.next().type().name()) : Optional.empty();
    }
  }

  /**
   * Executes an operation on an object as the first of some types that it can have. Scans omit
   * objects in their initial state, such as emptied sets, although these keep their type; hence the
   * attempts.
   */
  private static CausalToken update(Store store, Request request, List<Operations> types) {
    Optional<TypeMismatchException> mismatch = Optional.empty();
    for (Operations type : types) {
      Function<Request, Update> operation = type.byName.get(request.operation);
      if (operation != null) {
        try {
          return store.update(operation.apply(request));
        } catch (TypeMismatchException e) {
          mismatch = mismatch.or(() -> Optional.of(e));
        }
      }
    }
    throw mismatch.<UsageException>map(e -> e).orElseGet(() -> unknown(request, types));
  }

  private static OperationRefusedException unknown(Request request, List<Operations> types) {
    Optional<String> type = types.stream().findFirst().map(Operations::type);
    return refused(
        "there is no textual operation %s%s; the operations are %s"
            .formatted(
                request.operation,
                type.or(request::type).map(name -> " of a " + name).orElse(""),
                operations(types)));
  }

  private static String operations(List<Operations> known) {
    return String.join(
        ", ",
        (known.isEmpty() ? TYPES : known)
            .stream()
                .flatMap(
                    one ->
                        one.byName.keySet().stream()
                            .sorted()
                            .map(name -> name + " (" + one.type + ")"))
                .toList());
  }
}
