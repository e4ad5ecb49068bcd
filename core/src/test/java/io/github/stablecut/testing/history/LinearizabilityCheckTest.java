package io.github.stablecut.testing.history;

import static io.github.stablecut.testing.history.RegisterOperation.open;
import static io.github.stablecut.testing.history.RegisterOperation.read;
import static io.github.stablecut.testing.history.RegisterOperation.write;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The check accepts correct histories of a register, and finds broken ones. */
class LinearizabilityCheckTest {
  private static void assertRight(RegisterOperation... operations) {
    assertThat(LinearizabilityCheck.violation(List.of(operations))).isEmpty();
  }

  private static void assertBroken(RegisterOperation... operations) {
    assertThat(LinearizabilityCheck.violation(List.of(operations))).isPresent();
  }

  @Test
  void overlappingOperationsMayTakeEffectInAnyOrder() {
    assertRight(read(0, 10, 1), write(1, 9, 0, 1, 0), read(2, 8, 0));
    assertRight(write(0, 10, 1, 2, 1), write(0, 10, 0, 1, 0), write(0, 10, 2, 3, 2));
  }

  @Test
  void findsAReadOfAReplacedValue() {
    assertBroken(write(0, 1, 0, 1, 0), read(2, 3, 0));
    assertBroken(write(0, 1, 0, 1, 0), read(2, 3, 1), read(4, 5, 0));
  }

  @Test
  void findsAReadOfALaterWrite() {
    assertBroken(read(0, 1, 1), write(2, 3, 0, 1, 0));
  }

  @Test
  void findsTwoWritesThatFoundTheSameValue() {
    assertBroken(write(0, 10, 0, 1, 0), write(0, 10, 0, 2, 0));
  }

  @Test
  void findsARefusalForAValueThatWasNeverThere() {
    assertRight(write(0, 10, 0, 1, 0), write(0, 10, 0, 2, 1));
    assertBroken(write(0, 1, 0, 1, 0), write(2, 3, 1, 2, 0));
    assertBroken(write(0, 1, 0, 1, 0), write(2, 3, 5, 2, 7));
  }

  @Test
  void anOpenWriteTakesEffectLaterOrNever() {
    assertRight(open(0, 0, 1), read(1, 2, 0), read(3, 4, 1));
    assertRight(open(0, 0, 1), read(1, 2, 0), write(3, 4, 0, 2, 0), read(5, 6, 2));
    assertRight(open(0, 7, 1), read(1, 2, 0));
  }

  @Test
  void anOpenWriteTakesEffectOnceAndNotBeforeItBegins() {
    assertBroken(open(0, 0, 1), read(1, 2, 1), read(3, 4, 0));
    assertBroken(open(0, 0, 1), write(1, 2, 1, 0, 1), write(3, 4, 0, 2, 0), read(5, 6, 1));
    assertBroken(read(0, 1, 1), open(2, 0, 1));
    assertBroken(open(0, 7, 1), read(1, 2, 1));
  }

  /** Compares the check with an exhaustive search, for few operations. */
  @Test
  void agreesWithTryingAllOrders() {
    Random random = new Random();
    int right = 0;
    for (int i = 0; i < 3_000; i++) {
      List<RegisterOperation> history = randomHistory(random);
      boolean isRight = hasOrder(history, new ArrayList<>(), 0);
      assertThat(LinearizabilityCheck.violation(history).isEmpty())
          .as("%s", history)
          .isEqualTo(isRight);
      right += isRight ? 1 : 0;
    }
    assertThat(right).isBetween(100, 2_900);
  }

  private static List<RegisterOperation> randomHistory(Random random) {
    List<RegisterOperation> history = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      long begin = random.nextInt(20);
      long end = begin + 1 + random.nextInt(10);
      int found = random.nextInt(3);
      int expected = random.nextInt(3);
      history.add(
          switch (random.nextInt(4)) {
            case 0 -> open(begin, expected, 1 + random.nextInt(2));
            case 1 -> read(begin, end, found);
            default -> write(begin, end, expected, 1 + random.nextInt(2), found);
          });
    }
    Collections.shuffle(history, random);
    return history;
  }

  private static boolean hasOrder(
      List<RegisterOperation> left, List<RegisterOperation> order, long value) {
    if (left.stream().allMatch(RegisterOperation::isOpen)) {
      return true;
    }
    for (RegisterOperation next : left) {
      if (next.fits(value) && left.stream().noneMatch(other -> other.end() < next.begin())) {
        List<RegisterOperation> rest = new ArrayList<>(left);
        rest.remove(next);
        order.add(next);
        if (hasOrder(rest, order, next.after(value))) {
          return true;
        }
      }
    }
    return false;
  }

  @Test
  void checksLongHistoriesOfManyClients() {
    int clients = 16;
    long[] begins = new long[clients];
    List<RegisterOperation> history = new ArrayList<>();
    Random random = new Random();
    long value = 0;
    for (int time = 1; time <= 4_000; time++) {
      int client = random.nextInt(clients);
      long written = 1_000_000L + time;
      history.add(
          random.nextBoolean()
              ? read(begins[client], time, value)
              : write(begins[client], time, value, written, value));
      value = history.get(history.size() - 1).after(value);
      begins[client] = time;
    }
    RegisterOperation[] all = history.toArray(RegisterOperation[]::new);
    assertRight(all);
    RegisterOperation last = all[all.length - 1];
    all[all.length - 1] = read(last.end(), last.end() + 1, 999);
    assertBroken(all);
    assertBroken(Arrays.copyOfRange(all, all.length / 2, all.length));
  }
}
