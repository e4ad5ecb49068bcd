package io.github.stablecut.cluster.internal.exchange;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.github.stablecut.CausalToken;
import io.github.stablecut.Scan;
import io.github.stablecut.Store;
import io.github.stablecut.crdt.AddWinsSet;
import io.github.stablecut.crdt.BoundedCounter;
import io.github.stablecut.crdt.DisableWinsFlag;
import io.github.stablecut.crdt.EnableWinsFlag;
import io.github.stablecut.crdt.FatCounter;
import io.github.stablecut.crdt.GrowOnlySet;
import io.github.stablecut.crdt.LwwRegister;
import io.github.stablecut.crdt.MvRegister;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.crdt.PnCounter;
import io.github.stablecut.crdt.RemoveWinsSet;
import io.github.stablecut.crdt.codec.Codec;
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
 * Operations on objects in words, such as {@code increment 3}: for people, and for scripts. Values
 * are texts.
 */
public final class ObjectUpdates {
  /** What types can do, by their names; the first one that knows an operation is its default. */
  private static final List<Operations> TYPES =
      List.of(
          new Operations(
              PnCounter.TYPE.name(),
              Map.of(
                  "increment", order -> counter(order).increment(order.number()),
                  "decrement", order -> counter(order).decrement(order.number()))),
          new Operations(
              LwwRegister.TYPE.name(),
              Map.of(
                  "assign", order -> register(order).assign(order.text()),
                  "clear", order -> register(order).clear())),
          new Operations(
              AddWinsSet.TYPE.name(),
              Map.of(
                  "add", order -> addWins(order).add(order.text()),
                  "remove", order -> addWins(order).remove(order.text()),
                  "clear", order -> addWins(order).clear())),
          new Operations(
              EnableWinsFlag.TYPE.name(),
              flag(order -> Key.enableWinsFlag(order.bucket, order.key))),
          new Operations(
              DisableWinsFlag.TYPE.name(),
              flag(order -> Key.disableWinsFlag(order.bucket, order.key))),
          new Operations(
              RemoveWinsSet.TYPE.name(),
              Map.of(
                  "add", order -> removeWins(order).add(order.text()),
                  "remove", order -> removeWins(order).remove(order.text()),
                  "clear", order -> removeWins(order).clear())),
          new Operations(
              GrowOnlySet.TYPE.name(),
              Map.of(
                  "add",
                  order ->
                      Key.growOnlySet(order.bucket, order.key, Codec.string()).add(order.text()))),
          new Operations(
              MvRegister.TYPE.name(),
              Map.of(
                  "assign", order -> siblings(order).assign(order.text()),
                  "clear", order -> siblings(order).clear())),
          new Operations(
              FatCounter.TYPE.name(),
              Map.of(
                  "increment", order -> resettable(order).increment(order.number()),
                  "decrement", order -> resettable(order).decrement(order.number()),
                  "reset", order -> resettable(order).reset())),
          new Operations(
              BoundedCounter.TYPE.name(),
              Map.of(
                  "increment", order -> bounded(order).increment(order.number()),
                  "decrement", order -> bounded(order).decrement(order.number()))));

  /** The operations of a type. */
  private record Operations(String type, Map<String, Function<Order, Update>> byName) {}

  private ObjectUpdates() {}

  /**
   * What is to be done.
   *
   * @param operation such as {@code increment}
   * @param value what it is done with; empty for what needs none, and for 1
   * @param type that the object has or is to get; empty for the one that it has, or the operation's
   *     default
   */
  public record Order(
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

  private static Map<String, Function<Order, Update>> flag(Function<Order, FlagKey> key) {
    return Map.of(
        "enable", order -> key.apply(order).enable(),
        "disable", order -> key.apply(order).disable());
  }

  private static CounterKey counter(Order order) {
    return Key.counter(order.bucket, order.key);
  }

  private static ResettableCounterKey resettable(Order order) {
    return Key.resettableCounter(order.bucket, order.key);
  }

  private static BoundedCounterKey bounded(Order order) {
    return Key.boundedCounter(order.bucket, order.key);
  }

  private static RegisterKey<String> register(Order order) {
    return Key.register(order.bucket, order.key, Codec.string());
  }

  private static MultiValueRegisterKey<String> siblings(Order order) {
    return Key.multiValueRegister(order.bucket, order.key, Codec.string());
  }

  private static AddWinsSetKey<String> addWins(Order order) {
    return Key.addWinsSet(order.bucket, order.key, Codec.string());
  }

  private static RemoveWinsSetKey<String> removeWins(Order order) {
    return Key.removeWinsSet(order.bucket, order.key, Codec.string());
  }

  private static OperationRefusedException refused(String why) {
    return new OperationRefusedException(why);
  }

  /**
   * Does it; returns once it is committed.
   *
   * @return the time and token of the commit, as JSON
   * @throws io.github.stablecut.error.UsageException if that can't be done to the object
   */
  public static String update(Store store, Order order) {
    Optional<String> type = typeOf(store, order);
    List<Operations> known =
        TYPES.stream()
            .filter(
                one -> type.map(one.type::equals).orElse(one.byName.containsKey(order.operation)))
            .toList();
    if (known.isEmpty() && type.isPresent() && order.type.isEmpty()) {
      throw refused(
          "\"%s\" in bucket \"%s\" is of the type %s, for which there are no operations here: change it by a program"
              .formatted(order.key, order.bucket, type.get()));
    }
    CausalToken token = update(store, order, known);
    return JsonNodeFactory.instance
        .objectNode()
        .put("time", token.time().toString())
        .put("token", token.toText())
        .toString();
  }

  /** The type that the object has, or the one that it is to get; empty if neither is known. */
  private static Optional<String> typeOf(Store store, Order order) {
    if (order.type.isPresent()) {
      return order.type;
    }
    ScanOptions one =
        ScanOptions.bucket(order.bucket).from(order.key).through(order.key).keysOnly();
    try (Scan scan = store.snapshot().scan(one)) {
      return scan.hasNext() ? Optional.of(scan.next().type().name()) : Optional.empty();
    }
  }

  /**
   * Does it to an object of one of some types: the first one, or the one that it has. No scan finds
   * an object that is as at first, such as a set that was emptied; it keeps its type nevertheless.
   */
  private static CausalToken update(Store store, Order order, List<Operations> types) {
    Optional<TypeMismatchException> mismatch = Optional.empty();
    for (Operations type : types) {
      Function<Order, Update> operation = type.byName.get(order.operation);
      if (operation != null) {
        try {
          return store.update(operation.apply(order));
        } catch (TypeMismatchException e) {
          mismatch = mismatch.or(() -> Optional.of(e));
        }
      }
    }
    throw mismatch.<UsageException>map(e -> e).orElseGet(() -> unknown(order, types));
  }

  private static OperationRefusedException unknown(Order order, List<Operations> types) {
    Optional<String> type = types.stream().findFirst().map(Operations::type);
    return refused(
        "there is no operation %s%s here: there are %s"
            .formatted(
                order.operation,
                type.or(order::type).map(name -> " of a " + name).orElse(""),
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
