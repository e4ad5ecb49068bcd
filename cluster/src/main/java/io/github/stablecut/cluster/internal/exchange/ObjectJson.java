package io.github.stablecut.cluster.internal.exchange;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.CrdtTypes;
import io.github.stablecut.crdt.Expiring;
import io.github.stablecut.crdt.UnreadableValue;
import io.github.stablecut.crdt.counter.BoundedCounter;
import io.github.stablecut.crdt.counter.FatCounter;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.crdt.map.CounterMap;
import io.github.stablecut.crdt.map.GrowOnlyMap;
import io.github.stablecut.crdt.map.RecursiveResetMap;
import io.github.stablecut.crdt.register.DisableWinsFlag;
import io.github.stablecut.crdt.register.EnableWinsFlag;
import io.github.stablecut.crdt.register.LwwRecord;
import io.github.stablecut.crdt.register.LwwRegister;
import io.github.stablecut.crdt.register.MvRegister;
import io.github.stablecut.crdt.sequence.RgaList;
import io.github.stablecut.crdt.sequence.RgaText;
import io.github.stablecut.crdt.set.AddWinsSet;
import io.github.stablecut.crdt.set.GrowOnlySet;
import io.github.stablecut.crdt.set.RemoveWinsSet;
import io.github.stablecut.crdt.stream.EntryStream;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The fields of an object's JSON with its type and value, both of a stored object and of one in a
 * map.
 *
 * <pre>
 *   "type"     the type's name, such as "add-wins set"
 *   "value"    depends on the type: see {@link ScalarJson}, {@link CollectionJson}, {@link RecordJson}, {@link StreamJson}, {@link MapJson}
 *   "expires"  the time at which the object expires; missing if it does not
 * </pre>
 */
final class ObjectJson {
  private static final Map<String, CrdtType<?, ?, ?, ?>> TYPES =
      CrdtTypes.all().stream().collect(Collectors.toMap(CrdtType::name, Function.identity()));

  private static final Map<CrdtType<?, ?, ?, ?>, ValueJson<?, ?>> VALUES = new HashMap<>();

  static {
    put(PnCounter.TYPE, ScalarJson.counter(PnCounter.Add::new));
    put(FatCounter.TYPE, ScalarJson.counter(FatCounter.Add::new));
    put(BoundedCounter.TYPE, ScalarJson.boundedCounter());
    put(LwwRegister.TYPE, ScalarJson.register());
    put(MvRegister.TYPE, ScalarJson.multiValueRegister());
    put(
        EnableWinsFlag.TYPE,
        ScalarJson.flag(EnableWinsFlag.Operation.ENABLE, EnableWinsFlag.Operation.DISABLE));
    put(
        DisableWinsFlag.TYPE,
        ScalarJson.flag(DisableWinsFlag.Operation.ENABLE, DisableWinsFlag.Operation.DISABLE));
    put(GrowOnlySet.TYPE, CollectionJson.set(GrowOnlySet.Add::new));
    put(AddWinsSet.TYPE, CollectionJson.set(AddWinsSet.Add::new));
    put(RemoveWinsSet.TYPE, CollectionJson.set(RemoveWinsSet.Add::new));
    put(CounterMap.TYPE, CollectionJson.counterMap());
    put(LwwRecord.TYPE, RecordJson.values());
    put(RgaList.TYPE, CollectionJson.list());
    put(RgaText.TYPE, CollectionJson.text());
    put(EntryStream.TYPE, StreamJson.values());
    put(GrowOnlyMap.TYPE, MapJson.growOnly());
    put(RecursiveResetMap.TYPE, MapJson.recursive());
  }

  private ObjectJson() {}

  private static <O, V> void put(CrdtType<?, O, ?, ? extends V> type, ValueJson<O, V> values) {
    VALUES.put(type, values);
  }

  /**
   * Writes an object's type and value.
   *
   * @param value supplies the value, once; sums beyond {@code long} are written, too
   * @param deadline supplies the expiry time; called only for types that expire
   */
  static void write(
      ObjectNode node,
      CrdtType<?, ?, ?, ?> type,
      Supplier<?> value,
      Supplier<Optional<Instant>> deadline) {
    node.put("type", type.name());
    node.set("value", values(content(type)).writer().apply(UnreadableValue.orSum(value)));
    if (type instanceof Expiring) {
      deadline.get().ifPresent(time -> node.put("expires", time.toString()));
    }
  }

  /** Returns a view of an expiring type that reads the expiry time. */
  static CrdtType<?, ?, ?, Optional<Instant>> deadlineOf(CrdtType<?, ?, ?, ?> type) {
    return Expiring.deadlineOf(content(type));
  }

  /** Returns the type inside an expiring type; other types themselves. */
  static CrdtType<?, ?, ?, ?> content(CrdtType<?, ?, ?, ?> type) {
    return type instanceof Expiring<?, ?, ?, ?> expiring
        ? CrdtTypes.byId(expiring.type().typeId()).orElseThrow()
        : type;
  }

  @SuppressWarnings("unchecked") // VALUES maps each type to its own values
  private static ValueJson<Object, Object> values(CrdtType<?, ?, ?, ?> type) {
    ValueJson<?, ?> values = VALUES.get(type);
    if (values == null) {
      throw new IllegalStateException(type.name() + " has no JSON: add it to this class");
    }
    return (ValueJson<Object, Object>) values;
  }

  /**
   * Reads the type of an object.
   *
   * @throws MalformedLineException if no type has the name
   */
  @SuppressWarnings("unchecked") // callers pass only operations created for the type
  static CrdtType<?, Object, ?, ?> readType(JsonNode node) {
    String name = JsonBytes.readText(node.path("type"), "the type");
    CrdtType<?, ?, ?, ?> type = TYPES.get(name);
    if (type == null) {
      throw new MalformedLineException("there is no type \"" + shortened(name) + "\"");
    }
    return (CrdtType<?, Object, ?, ?>) type;
  }

  /**
   * Reads the operations that create a stored object, which must have a value.
   *
   * @param type the result of {@link #readType}
   * @throws MalformedLineException if the value is invalid
   */
  static void read(JsonNode node, CrdtType<?, Object, ?, ?> type, OperationSink<Object> sink) {
    if (node.path("value").isNull() && !(type instanceof Expiring)) {
      throw new MalformedLineException("the value is null");
    }
    readEntry(node, type, sink);
  }

  /** Like {@link #read}, for an object in a map, which may lack a value. */
  static void readEntry(JsonNode node, CrdtType<?, Object, ?, ?> type, OperationSink<Object> sink) {
    JsonNode value = node.path("value");
    if (type instanceof Expiring) {
      values(content(type)).reader().read(value, inside(sink));
      sink.add(readDeadline(node), ScalarJson.SMALL_BYTES);
      return;
    }
    if (node.has("expires")) {
      throw new MalformedLineException(
          "a " + type.name() + " does not expire: its type would be expiring " + type.name());
    }
    values(type).reader().read(value, sink);
  }

  private static OperationSink<Object> inside(OperationSink<Object> sink) {
    return (alternatives, bytes) ->
        sink.addConcurrent(
            alternatives.stream().map(Expiring.Update<Object>::new).toList(),
            ScalarJson.SMALL_BYTES + bytes);
  }

  private static Expiring.Operation<Object> readDeadline(JsonNode node) {
    if (!node.has("expires")) {
      return new Expiring.Persist<>();
    }
    String text = JsonBytes.readText(node.path("expires"), "the time at which it expires");
    try {
      return new Expiring.ExpireAt<>(Instant.parse(text).toEpochMilli());
    } catch (DateTimeException | ArithmeticException e) {
      throw new MalformedLineException(
          "it expires at \"" + shortened(text) + "\", not at a time such as 2026-11-20T08:00:00Z");
    }
  }

  /**
   * Checks that a node is an object with only known fields.
   *
   * @throws MalformedLineException if it is not
   */
  static void checkFields(JsonNode node, Set<String> known) {
    if (!node.isObject()) {
      throw new MalformedLineException("expected an object {...}");
    }
    List<String> unknown =
        node.properties().stream()
            .map(Map.Entry::getKey)
            .filter(name -> !known.contains(name))
            .toList();
    if (!unknown.isEmpty()) {
      throw new MalformedLineException(
          "the field \"" + shortened(unknown.get(0)) + "\" is unknown to this version");
    }
  }

  private static String shortened(String text) {
    return text.length() > 64 ? text.substring(0, 64) + "…" : text;
  }
}
