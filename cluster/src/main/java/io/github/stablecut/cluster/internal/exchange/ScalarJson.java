package io.github.stablecut.cluster.internal.exchange;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.counter.BoundedCounter;
import io.github.stablecut.crdt.register.LwwRegister;
import io.github.stablecut.crdt.register.MvRegister;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;

/** Counters as numbers, flags as true and false, registers as their values. */
final class ScalarJson {
  /** The size of a small operation. */
  static final long SMALL_BYTES = 32;

  /** Each value needs its own transaction, all of them concurrent. */
  private static final int MAX_ALTERNATIVES = 1_000;

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private ScalarJson() {}

  static <O> ValueJson<O, Number> counter(LongFunction<? extends O> add) {
    return new ValueJson<>(
        SumJson::write,
        (value, sink) ->
            SumJson.amounts(SumJson.read(value, "the value"))
                .forEach(amount -> sink.add(add.apply(amount), SMALL_BYTES)));
  }

  /** Assigns all rights, whatever their distribution, to the importing data centre. */
  static ValueJson<BoundedCounter.Operation, Long> boundedCounter() {
    return new ValueJson<>(
        NODES::numberNode,
        (value, sink) -> {
          long number = readNumber(value, "the value");
          if (number < 0) {
            throw new MalformedLineException("the value of a bounded counter is below 0");
          }
          sink.add(new BoundedCounter.Increment(Math.max(1, number)), SMALL_BYTES);
          if (number == 0) {
            sink.add(new BoundedCounter.Decrement(1), SMALL_BYTES);
          }
        });
  }

  static <O> ValueJson<O, Boolean> flag(O enable, O disable) {
    return new ValueJson<>(
        NODES::booleanNode,
        (value, sink) -> {
          if (!value.isBoolean()) {
            throw new MalformedLineException("the value is neither true nor false");
          }
          sink.add(value.booleanValue() ? enable : disable, SMALL_BYTES);
        });
  }

  /** Null stands for a register without a value: an expiring one, or one cleared in a map. */
  static ValueJson<LwwRegister.Operation, Optional<Bytes>> register() {
    return new ValueJson<>(
        value -> value.map(JsonBytes::write).orElse(NullNode.instance),
        (value, sink) -> {
          if (value.isNull()) {
            sink.add(new LwwRegister.Clear(), SMALL_BYTES);
          } else {
            Bytes bytes = JsonBytes.read(value, "the value");
            sink.add(new LwwRegister.Assign(bytes), SMALL_BYTES + bytes.length());
          }
        });
  }

  static ValueJson<MvRegister.Operation, List<Bytes>> multiValueRegister() {
    return new ValueJson<>(JsonBytes::writeAll, ScalarJson::readAlternatives);
  }

  private static void readAlternatives(JsonNode value, OperationSink<MvRegister.Operation> sink) {
    List<Bytes> values = JsonBytes.readAll(value, "the value");
    if (values.size() > MAX_ALTERNATIVES) {
      throw new MalformedLineException(
          "the register has %,d values, at most %,d can be imported"
              .formatted(values.size(), MAX_ALTERNATIVES));
    }
    if (values.isEmpty()) {
      sink.add(new MvRegister.Reset(), SMALL_BYTES);
    } else {
      long bytes = values.stream().mapToLong(Bytes::length).max().orElse(0);
      sink.addConcurrent(values.stream().map(MvRegister.Assign::new).toList(), SMALL_BYTES + bytes);
    }
  }

  /**
   * Reads a 64-bit integer.
   *
   * @throws MalformedLineException if the node is not one
   */
  static long readNumber(JsonNode node, String what) {
    if (!node.isIntegralNumber() || !node.canConvertToLong()) {
      throw new MalformedLineException(what + " is not a whole number of 64 bits");
    }
    return node.longValue();
  }
}
