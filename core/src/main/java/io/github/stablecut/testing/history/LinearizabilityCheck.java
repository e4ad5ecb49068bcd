package io.github.stablecut.testing.history;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Searches for an order of operations on one register in which each takes effect between its call
 * and its answer, and returns what it returned. The algorithm is Wing and Gong, <em>Testing and
 * Verifying Concurrent Objects</em> (1993), with Lowe's cache of visited states (2017). Used once.
 */
public final class LinearizabilityCheck {
  /** A call or an answer, in time order; both are unlinked once their operation is ordered. */
  private static final class Event {
    private final int operation;
    private final boolean isCall;
    private final long time;
    private @Nullable Event answer;
    private @Nullable Event previous;
    private @Nullable Event next;

    Event(int operation, boolean isCall, long time) {
      this.operation = operation;
      this.isCall = isCall;
      this.time = time;
    }

    void takeOut() {
      if (previous != null) {
        previous.next = next;
      }
      if (next != null) {
        next.previous = previous;
      }
    }

    void putBack() {
      if (previous != null) {
        previous.next = this;
      }
      if (next != null) {
        next.previous = this;
      }
    }
  }

  /** A visited state: the ordered operations, and the register's value after them. */
  private record VisitedState(BitSet done, long value) {}

  private record Step(Event call, long before) {}

  private final List<RegisterOperation> operations;
  private final Event head = new Event(-1, true, Long.MIN_VALUE);
  private final Set<VisitedState> tried = new HashSet<>();
  private final Deque<Step> order = new ArrayDeque<>();
  private final BitSet done = new BitSet();
  private long value;
  private int answersLeft;

  private LinearizabilityCheck(List<RegisterOperation> operations) {
    this.operations = operations;
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < operations.size(); i++) {
      Event call = new Event(i, true, operations.get(i).begin());
      events.add(call);
      if (!operations.get(i).isOpen()) {
        call.answer = new Event(i, false, operations.get(i).end());
        events.add(call.answer);
        answersLeft++;
      }
    }
    // Calls precede answers of the same time: what is not certainly sequential may overlap.
    events.sort(
        Comparator.<Event>comparingLong(event -> event.time).thenComparing(event -> !event.isCall));
    Event last = head;
    for (Event event : events) {
      last.next = event;
      event.previous = last;
      last = event;
    }
  }

  /**
   * Returns why a history is not linearizable; empty if it is.
   *
   * @param operations of a register that is initially 0, in any order
   */
  public static Optional<String> violation(List<RegisterOperation> operations) {
    return new LinearizabilityCheck(operations).search();
  }

  private Optional<String> search() {
    int most = 0;
    String stuck = "";
    Event event = head.next;
    while (answersLeft > 0) {
      if (event != null && event.isCall) {
        event = tryNext(event) ? head.next : event.next;
        continue;
      }
      // An answered operation is not ordered yet: backtrack to the last choice.
      if (done.cardinality() >= most && event != null) {
        most = done.cardinality();
        stuck =
            "after %d operations the register is %d, and none fits before the answer to %s"
                .formatted(most, value, operations.get(event.operation));
      }
      if (order.isEmpty()) {
        return Optional.of("not linearizable: " + stuck);
      }
      event = undo().next;
    }
    return Optional.empty();
  }

  private boolean tryNext(Event call) {
    RegisterOperation operation = operations.get(call.operation);
    if (!operation.fits(value)) {
      return false;
    }
    long after = operation.after(value);
    done.set(call.operation);
    if (!tried.add(new VisitedState((BitSet) done.clone(), after))) {
      done.clear(call.operation);
      return false;
    }
    order.push(new Step(call, value));
    value = after;
    call.takeOut();
    if (call.answer != null) {
      call.answer.takeOut();
      answersLeft--;
    }
    return true;
  }

  private Event undo() {
    Step step = order.pop();
    value = step.before;
    done.clear(step.call.operation);
    if (step.call.answer != null) {
      step.call.answer.putBack();
      answersLeft++;
    }
    step.call.putBack();
    return step.call;
  }
}
