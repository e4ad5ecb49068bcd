package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/**
 * Simulated histories with replicas are wrong once a rule is removed from the code. So the
 * simulation can notice that the rule is violated.
 */
class RemovedRulesTest {
  private static final int HISTORIES = 1_000;

  /** A coordinator forgets a transaction once all participants have acknowledged it. */
  private static final SourcePatch SMALL_MEMORY =
      new SourcePatch(
          "core/internal/partition/commit/DecidedTransactions",
          "MAX_ENDED = 1 << 16;",
          "MAX_ENDED = 0;");

  private static final Logger STORE = (Logger) LoggerFactory.getLogger("io.github.stablecut");

  @TempDir Path classes;

  @BeforeAll
  static void logNothing() {
    STORE.setLevel(Level.OFF);
  }

  @AfterAll
  static void logAgain() {
    STORE.setLevel(null);
  }

  @ParameterizedTest
  @EnumSource
  void theCodeHasEachRule(RemovedRule rule) {
    assertThatCode(() -> rule.patch().patched()).doesNotThrowAnyException();
  }

  /** The other rules are rarely noticed in 300 histories; decision 20 says what tests them. */
  @ParameterizedTest
  @Tag("long")
  @EnumSource(
      mode = EnumSource.Mode.MATCH_NONE,
      names = {
        "REFUSED_VOTE",
        "SHORTENED_VOTE",
        "LOG_MATCH",
        "HEADER_COUNTS",
        "CONFIRMED_.*",
        "ONE_VOTER_AT_A_TIME",
        "REMAINING_VOTERS"
      })
  void withoutARuleAHistoryIsWrong(RemovedRule rule) throws Exception {
    String wrong = firstWrong(List.of(SMALL_MEMORY, rule.patch()), rule.name());

    assertThat(wrong).isNotEmpty();
  }

  @Test
  @Tag("long")
  void historiesAreRightIfCoordinatorsForgetSoon() throws Exception {
    String wrong = firstWrong(List.of(SMALL_MEMORY), "small memory");

    assertThat(wrong).isEmpty();
  }

  private String firstWrong(List<SourcePatch> patches, String name)
      throws ReflectiveOperationException {
    long beganAtNanos = System.nanoTime();
    Class<?> patched =
        PatchedClasses.of(patches, classes).loadClass(ReplicatedHistory.class.getName());
    Method first = patched.getDeclaredMethod("firstWrong", long.class, int.class);
    first.setAccessible(true);
    String wrong =
        (String)
            first.invoke(
                null,
                Long.getLong("simulation.seed", 1),
                Integer.getInteger("stablecut.histories", HISTORIES));
    System.out.printf(
        "%s: %s (%d s)%n", name, wrong, (System.nanoTime() - beganAtNanos) / 1_000_000_000);
    return wrong;
  }
}
