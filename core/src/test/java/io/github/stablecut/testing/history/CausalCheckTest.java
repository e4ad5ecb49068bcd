package io.github.stablecut.testing.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.testing.history.RecordedOperation.CounterIncrement;
import io.github.stablecut.testing.history.RecordedOperation.CounterRead;
import io.github.stablecut.testing.history.RecordedOperation.RegisterRead;
import io.github.stablecut.testing.history.RecordedOperation.RegisterWrite;
import io.github.stablecut.testing.history.RecordedOperation.SetAdd;
import io.github.stablecut.testing.history.RecordedOperation.SetRead;
import io.github.stablecut.testing.history.RecordedOperation.SetRemove;
import io.github.stablecut.testing.history.RecordedTransaction.Execution;
import io.github.stablecut.testing.history.RecordedTransaction.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The check accepts correct histories and names the violation in broken ones. */
class CausalCheckTest {
  private final List<RecordedTransaction> history = new ArrayList<>();

  /** One after the other in time; only {@link #assertStale} considers that. */
  private CausalCheckTest then(String session, RecordedOperation... operations) {
    return then(session, Outcome.OK, operations);
  }

  private CausalCheckTest then(String session, Outcome outcome, RecordedOperation... operations) {
    int number = history.size();
    return at(10L * number, 10L * number + 5, session, outcome, operations);
  }

  private CausalCheckTest at(
      long start, long end, String session, Outcome outcome, RecordedOperation... operations) {
    String id = "T" + history.size();
    history.add(
        new RecordedTransaction(
            session, id, Execution.between(start, end), outcome, List.of(operations)));
    return this;
  }

  private CausalCheckTest atLast(String session, RecordedOperation... operations) {
    int number = history.size();
    Execution at = new Execution(Optional.of("n1"), true, 10L * number, 10L * number + 5);
    history.add(
        new RecordedTransaction(session, "T" + number, at, Outcome.OK, List.of(operations)));
    return this;
  }

  private void assertRight() {
    assertThat(CausalCheck.violations(history, false)).isEmpty();
  }

  private void assertWrong(String... words) {
    assertThat(CausalCheck.violations(history, false))
        .anySatisfy(violation -> assertThat(violation).contains(words));
  }

  private void assertStale(String... words) {
    assertRight();
    assertThat(CausalCheck.violations(history, true))
        .anySatisfy(violation -> assertThat(violation).contains(words));
  }

  private static RegisterWrite write(String key, String value) {
    return new RegisterWrite(key, value);
  }

  private static RegisterRead read(String key, String value) {
    return new RegisterRead(key, Optional.of(value));
  }

  private static RegisterRead readNothing(String key) {
    return new RegisterRead(key, Optional.empty());
  }

  private static SetAdd add(String key, String value) {
    return new SetAdd(key, value);
  }

  private static SetRead set(String key, String... values) {
    return new SetRead(key, Set.of(values));
  }

  private static SetRemove remove(String key, String value) {
    return new SetRemove(key, value);
  }

  private static CounterIncrement increment(String key, long by) {
    return new CounterIncrement(key, by);
  }

  private static CounterRead counter(String key, long value) {
    return new CounterRead(key, value);
  }

  @Test
  void sessionsMaySeeEachOtherLate() {
    then("a", write("x", "1"), add("s", "1"), increment("n", 5));
    then("b", readNothing("x"), set("s"), counter("n", 0));
    then("b", read("x", "1"), set("s", "1"), counter("n", 5));
    then("c", write("x", "2"), read("x", "2"), increment("n", 2), counter("n", 2));
    assertRight();
  }

  @Test
  void findsAReadOfAnUnwrittenValue() {
    then("a", read("x", "1")).assertWrong("T0", "no transaction wrote");
  }

  @Test
  void findsAReadOfAFailedWrite() {
    then("a", Outcome.FAIL, add("s", "1"));
    then("b", set("s", "1")).assertWrong("T1", "failed");
  }

  @Test
  void findsAReadOfALaterWrite() {
    then("a", read("x", "1"));
    then("b", write("x", "1")).assertWrong("T0", "written later");
  }

  @Test
  void findsAReadOfAnIntermediateWrite() {
    then("a", write("x", "1"), write("x", "2"));
    then("b", read("x", "1")).assertWrong("T1", "T0 overwrote");
  }

  @Test
  void findsATransactionThatReadsItsOwnFuture() {
    then("a", read("x", "1"), write("x", "1")).assertWrong("later");
    history.clear();
    then("a", set("s", "1"), add("s", "1")).assertWrong("before it writes it");
  }

  @Test
  void findsATransactionThatMissesItsOwnWrite() {
    then("a", write("x", "1"), readNothing("x")).assertWrong("own write");
    history.clear();
    then("a", add("s", "1"), set("s")).assertWrong("own write");
    history.clear();
    then("a", increment("n", 1), counter("n", 0)).assertWrong("at least");
  }

  @Test
  void findsNonRepeatableReads() {
    then("a", add("s", "1"));
    then("b", set("s"), set("s", "1")).assertWrong("T1", "not repeatable");
    history.clear();
    then("a", increment("n", 1));
    then("b", counter("n", 0), counter("n", 1)).assertWrong("T1", "not repeatable");
  }

  @Test
  void findsASessionThatMissesItsOwnWrite() {
    then("a", add("s", "1"));
    then("a", set("s")).assertWrong("T1", "own session");
    history.clear();
    then("a", write("x", "1"));
    then("a", readNothing("x")).assertWrong("T1", "own session");
    history.clear();
    then("a", increment("n", 3));
    then("a", counter("n", 0)).assertWrong("T1", "at least 3");
  }

  @Test
  void findsASessionThatGoesBack() {
    then("a", write("x", "1"));
    then("b", read("x", "1"));
    then("b", readNothing("x")).assertWrong("T2", "predecessor");
    history.clear();
    then("a", write("x", "1"));
    then("a", write("x", "2"));
    then("b", read("x", "2"));
    then("b", read("x", "1")).assertWrong("T3", "predecessor");
  }

  @Test
  void findsAReaderOfAPartialTransaction() {
    then("a", add("s", "1"), add("t", "1"));
    then("b", set("s", "1"), set("t")).assertWrong("T1", "a part", "T0");
    history.clear();
    then("a", write("x", "1"), write("y", "1"));
    then("b", set("s"), read("x", "1"), readNothing("y")).assertWrong("T1", "a part");
  }

  @Test
  void findsAReaderOfAConsequenceWithoutItsCause() {
    then("a", add("s", "1"));
    then("b", set("s", "1"), add("t", "2"));
    then("c", set("t", "2"), set("s")).assertWrong("T2", "predecessor");
    history.clear();
    then("a", write("x", "1"));
    then("b", read("x", "1"), write("x", "2"), write("y", "2"));
    then("c", read("y", "2"), read("x", "1")).assertWrong("T2", "a part");
    history.clear();
    then("a", increment("n", 1));
    then("a", add("s", "1"));
    then("b", set("s", "1"), counter("n", 0)).assertWrong("T2", "at least 1");
  }

  @Test
  void findsTwoThatHaveSeenEachOther() {
    at(0, 10, "a", Outcome.OK, add("s", "1"), set("t", "2"));
    at(0, 10, "b", Outcome.OK, add("t", "2"), set("s", "1")).assertWrong("have seen each other");
  }

  @Test
  void findsACounterAboveItsIncrements() {
    then("a", increment("n", 1), increment("n", 2));
    then("b", counter("n", 4)).assertWrong("at most 3");
    then("c", increment("n", 1));
    assertThat(CausalCheck.violations(history, false)).hasSize(1);
  }

  @Test
  void aCounterWithDecrementsHasBoundsOnBothSides() {
    then("a", increment("n", 5));
    then("b", increment("n", -3));
    then("a", counter("n", 2)).assertRight();
    then("a", counter("n", 1)).assertWrong("at least 2 and at most 5");
  }

  @Test
  void anUnknownOutcomeMayBeEither() {
    then("a", Outcome.UNKNOWN, add("s", "1"), add("t", "1"), increment("n", 1));
    then("a", set("s"), counter("n", 0));
    then("b", counter("n", 1), set("s", "1"), set("t", "1")).assertRight();
  }

  @Test
  void anObservedUnknownOneExistsWhollyAndAfterItsSession() {
    then("a", add("u", "0"));
    then("a", Outcome.UNKNOWN, add("s", "1"), add("t", "1"));
    then("b", set("s", "1"), set("t")).assertWrong("T2", "a part");
    then("c", set("s", "1"), set("u"));
    assertThat(CausalCheck.violations(history, false)).hasSize(2);
  }

  @Test
  void findsAMissedAcknowledgedWriteOnRequest() {
    then("a", add("s", "1"));
    then("b", set("s")).assertStale("T1", "acknowledged before it began");
    history.clear();
    then("a", write("x", "1"));
    then("b", write("x", "2"));
    then("c", read("x", "1")).assertStale("T2", "acknowledged before it began");
    history.clear();
    then("a", increment("n", 1));
    then("b", counter("n", 0)).assertStale("T1", "at least 1");
    history.clear();
    at(0, 20, "a", Outcome.OK, add("s", "1"));
    at(10, 15, "b", Outcome.OK, set("s")).assertRight();
    assertThat(CausalCheck.violations(history, true)).isEmpty();
  }

  @Test
  void aRemovedElementMayBeThereUntilTheRemovalIsSeen() {
    then("a", add("s", "1"), add("s", "2"));
    then("b", set("s", "1", "2"), remove("s", "1"), set("s", "2"));
    then("a", set("s", "1", "2"));
    then("c", set("s", "2"));
    then("b", set("s", "2")).assertRight();
  }

  @Test
  void findsAnElementReadAfterItsRemoval() {
    then("a", add("s", "1"));
    then("b", set("s", "1"), remove("s", "1"), add("t", "2"));
    then("b", set("s", "1")).assertWrong("T2", "T1 has removed");
    history.remove(2);
    then("c", set("t", "2"), set("s", "1")).assertWrong("T2", "T1 has removed");
  }

  @Test
  void findsAReadOfARemovedElement() {
    then("a", add("s", "1"));
    then("b", set("s", "1"), remove("s", "1"), set("s", "1")).assertWrong("T1", "own write");
    history.clear();
    then("a", add("s", "1"), remove("s", "1"), set("s")).assertRight();
    then("a", set("s", "1")).assertWrong("T1", "T0 has removed");
  }

  @Test
  void aRemovalThatHasNotSeenTheElementRemovesNothing() {
    then("a", add("s", "1"));
    then("b", remove("s", "1"));
    then("a", set("s", "1")).assertRight();
    then("b", set("s", "1")).assertRight();
    then("a", set("s")).assertWrong("T4", "own session");
  }

  @Test
  void anInvisibleRemovalExplainsNothing() {
    then("a", add("s", "1"));
    then("a", set("s"));
    then("b", set("s", "1"), remove("s", "1")).assertWrong("T1", "own session");
    history.clear();
    at(0, 5, "a", Outcome.OK, add("s", "1"));
    at(10, 30, "a", Outcome.OK, set("s"), add("t", "2"));
    at(15, 25, "b", Outcome.OK, set("t", "2"), set("s", "1"), remove("s", "1"));
    assertWrong("T1", "own session");
    history.clear();
    then("a", add("s", "1"));
    then("b", Outcome.FAIL, set("s", "1"), remove("s", "1"));
    then("a", set("s")).assertWrong("T2", "own session");
  }

  @Test
  void aRemovalOfUnknownOutcomeMayHaveTakenPlace() {
    then("a", add("s", "1"), add("s", "2"));
    then("b", Outcome.UNKNOWN, set("s", "1", "2"), remove("s", "1"));
    then("a", set("s", "2"));
    then("c", set("s", "1", "2")).assertRight();
    then("b", Outcome.UNKNOWN, set("s", "1", "2"), remove("s", "2"), add("t", "3"));
    then("c", set("t", "3"), set("s", "2")).assertWrong("T5", "T4 has removed");
  }

  @Test
  void acknowledgedWritesExistInTheEnd() {
    then("a", add("s", "1"));
    then("a", write("x", "1"), increment("n", 1));
    then("b", set("s"), readNothing("x")).assertRight();
    atLast("c", set("s", "1"), read("x", "1"), counter("n", 1)).assertRight();
    atLast("d", set("s")).assertWrong("T4", "acknowledged before it began", "lacks T0");
    atLast("e", readNothing("x")).assertWrong("T5", "lacks T1");
    atLast("f", counter("n", 0)).assertWrong("T6", "at least 1");
    assertThat(CausalCheck.violations(history, false)).hasSize(6);
  }

  @Test
  void observedUnknownWritesExistInTheEnd() {
    then("a", Outcome.UNKNOWN, add("s", "1"), add("t", "1"));
    then("b", set("s", "1"));
    atLast("c", set("t")).assertWrong("T2", "acknowledged before it began", "lacks T0");
  }

  @Test
  void allReadTheSameAtTheEnd() {
    at(0, 10, "a", Outcome.OK, write("x", "1"));
    at(0, 10, "b", Outcome.OK, write("x", "2"));
    atLast("c", read("x", "1")).assertRight();
    atLast("d", read("x", "2")).assertWrong("T3", "at the end", "T2 has read");
  }

  @Test
  void refusesUncheckableHistories() {
    then("a", add("s", "1"));
    then("b", add("s", "1"));
    assertThatThrownBy(this::assertRight).hasMessageContaining("must be unique");
    history.clear();
    at(0, 10, "a", Outcome.OK, add("s", "1"));
    at(5, 15, "a", Outcome.OK, add("s", "2"));
    assertThatThrownBy(this::assertRight).hasMessageContaining("before T0 of the same session");
  }
}
