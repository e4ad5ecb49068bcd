package io.github.stablecut.examples.verification;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.github.stablecut.Transaction;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.question.Question;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.key.StreamKey;
import java.util.List;

/** The objects of a workload of adya. */
enum Workload {
  /**
   * Streams, to which transactions append. Those with even numbers are read as whole objects,
   * others by a question.
   */
  LIST_APPEND {
    @Override
    void write(Transaction transaction, long key, long value) {
      transaction.update(stream(key).append(value));
    }

    @Override
    JsonNode read(Transaction transaction, long key) {
      List<Long> entries =
          key % 2 == 0
              ? transaction.read(stream(key)).entries()
              : transaction.read(stream(key).slice(0, Question.MAX_ITEMS)).entries();
      ArrayNode found = JsonNodeFactory.instance.arrayNode();
      entries.forEach(found::add);
      return found;
    }
  },
  /** Registers, which transactions overwrite. */
  RW_REGISTER {
    @Override
    void write(Transaction transaction, long key, long value) {
      transaction.update(register(key).assign(value));
    }

    @Override
    JsonNode read(Transaction transaction, long key) {
      return transaction
          .read(register(key))
          .<JsonNode>map(JsonNodeFactory.instance::numberNode)
          .orElse(JsonNodeFactory.instance.nullNode());
    }
  };

  private static StreamKey<Long> stream(long key) {
    return Key.stream("lists", "k" + key, Codec.int64());
  }

  static RegisterKey<Long> register(long key) {
    return Key.register("registers", "k" + key, Codec.int64());
  }

  /** Appends to a list, or assigns to a register. */
  abstract void write(Transaction transaction, long key, long value);

  /** Reads a list, or the value of a register; null before the first write. */
  abstract JsonNode read(Transaction transaction, long key);
}
