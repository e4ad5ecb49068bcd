package io.github.stablecut.examples.verification;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.TransactionOptions;
import java.util.List;
import java.util.function.Supplier;

/**
 * Executes adya's transactions: one line of JSON asks for a transaction, and one answers. Each is
 * executed once, without retries. A failure is {@code fail} if the store guarantees that nothing
 * was changed, and {@code info} otherwise. Thread-safe.
 */
final class TransactionDriver {
  private final Workload workload;
  private final TransactionOptions options;
  private final Outcomes outcomes;

  TransactionDriver(Workload workload, Certification level, Outcomes outcomes) {
    this.workload = workload;
    this.options = TransactionOptions.defaults().certify(level);
    this.outcomes = outcomes;
  }

  /**
   * Executes the transaction of a line, and returns the line that answers it.
   *
   * @param store may connect first
   */
  String answer(Supplier<Store> store, String line) {
    List<MicroOperation> operations = MicroOperation.parse(line);
    long begunNanos = System.nanoTime();
    try (Transaction transaction = store.get().begin(options)) {
      ObjectNode answer = execute(transaction, operations);
      transaction.commit();
      outcomes.count("ok", System.nanoTime() - begunNanos);
      return answer.toString();
    } catch (RuntimeException e) {
      String type = Outcomes.isWithoutEffect(e) ? "fail" : "info";
      outcomes.countFailure(type, e, System.nanoTime() - begunNanos);
      return answer(type).put("error", e.toString()).toString();
    }
  }

  private static ObjectNode answer(String type) {
    return JsonNodeFactory.instance.objectNode().put("type", type);
  }

  private ObjectNode execute(Transaction transaction, List<MicroOperation> operations) {
    ArrayNode executed = JsonNodeFactory.instance.arrayNode();
    for (MicroOperation operation : operations) {
      executed.add(execute(transaction, operation));
    }
    ObjectNode answer = answer("ok");
    answer.set("value", executed);
    return answer;
  }

  private ArrayNode execute(Transaction transaction, MicroOperation operation) {
    if (operation.kind() == MicroOperation.Kind.READ) {
      return operation.answered(workload.read(transaction, operation.key()));
    }
    workload.write(transaction, operation.key(), operation.value());
    return operation.answered(JsonNodeFactory.instance.nullNode());
  }
}
