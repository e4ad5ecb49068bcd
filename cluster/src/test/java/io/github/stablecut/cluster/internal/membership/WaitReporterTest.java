package io.github.stablecut.cluster.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a node says while it waits for others, and how often. */
final class WaitReporterTest {
  private final List<MembershipAction> out = new ArrayList<>();
  private long nanos = 5;
  private Optional<String> refusal = Optional.empty();

  private WaitReporter reporter(boolean isObserver) {
    NodeSettings settings =
        new NodeSettings(
            "n1",
            Path.of("none"),
            StoreOptions.defaults(),
            new NodeSettings.Endpoint("127.0.0.1", 7, Optional.empty()),
            new NodeSettings.Formation(List.of("127.0.0.1:8"), 1),
            NodeSettings.MoveLimits.DEFAULT,
            Duration.ofMinutes(1),
            isObserver,
            1 << 20,
            "");
    return new WaitReporter(settings, () -> nanos, () -> refusal, out::add);
  }

  /** Waits as a node does, which reports it several times per second. */
  private void await(WaitReporter reporter, Duration time) {
    for (long end = nanos + time.toNanos(); nanos < end; nanos += 300_000_000) {
      reporter.reportWaitForNodes(() -> "waits for seeds");
    }
  }

  private List<String> words() {
    return out.stream()
        .map(
            action ->
                action instanceof MembershipAction.Fail fail
                    ? "failed: " + fail.why().getMessage()
                    : ((MembershipAction.Log) action).text())
        .toList();
  }

  @Test
  void repeatsTheSameOncePerMinute() {
    await(reporter(false), Duration.ofSeconds(59));
    assertThat(words()).singleElement().asString().startsWith("node n1 waits for seeds: its own");
    await(reporter(false), Duration.ofSeconds(1));
    WaitReporter again = reporter(false);
    out.clear();
    await(again, Duration.ofSeconds(130));
    assertThat(out).hasSize(3);
  }

  @Test
  void namesTheCertificateInsteadOfAllThatMayBeWrong() {
    WaitReporter reporter = reporter(false);
    await(reporter, Duration.ofSeconds(10));
    refusal = Optional.of("the node at h:1 is refused");
    await(reporter, Duration.ofSeconds(10));

    assertThat(words()).hasSize(2).endsWith("node n1 waits for seeds: the node at h:1 is refused");
  }

  @Test
  void anObserverFailsAtOnceIfACertificateShowsThatItWaitsInVain() {
    refusal = Optional.of("the node at h:1 is refused");
    WaitReporter reporter = reporter(true);
    await(reporter, Duration.ofMillis(2_400));

    assertThat(words())
        .containsExactly("failed: the cluster can't be joined: the node at h:1 is refused");
  }
}
