package io.github.stablecut.internal.copies;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A copy in orders of events that are too rare for {@link CopiesSimulation}. */
final class CopyTest {
  private static final List<String> NAMES = List.of("a", "b", "c");
  private static final long SECOND = 1_000_000_000;

  private final Host host = new Host();
  private final SimulatedLog log = new SimulatedLog();
  private final Copy copy = new Copy("a", Layout.first(NAMES), log, host, 0);

  private static final class Host implements CopyHost {
    private final List<CopyMessage> sent = new ArrayList<>();
    private int reads;
    private int replaces;

    @Override
    public void send(String to, CopyMessage message) {
      sent.add(message);
    }

    @Override
    public void read() {
      reads++;
    }

    @Override
    public void replace(Layout next) {
      replaces++;
    }

    @Override
    public void committed(long next) {}

    @Override
    public void lead(Layout layout, Shipping shipping) {}

    @Override
    public void follow() {}
  }

  /** Nobody leads, as far as the copy and another one know. */
  private void silence(long nanos) {
    copy.tick(nanos);
    CopyMessage.Inquiry asked = (CopyMessage.Inquiry) host.sent.get(host.sent.size() - 1);
    copy.receive("b", new CopyMessage.Answer(asked.epoch(), asked.round(), true, log.end()));
  }

  @Test
  void whoHasWonAnEpochLeadsNoneThatAnotherHasWonMeanwhile() {
    silence(2 * SECOND);
    Layout own = Layout.first(NAMES).ledBy("a");
    copy.learned(Layout.first(NAMES));
    // The register is slow, so that it is asked twice.
    silence(8 * SECOND);
    assertThat(host.reads).isGreaterThan(1);
    assertThat(host.replaces).isEqualTo(1);
    copy.replaced(own, true);
    copy.learned(own.ledBy("b"));

    host.sent.clear();
    copy.tick(9 * SECOND);
    copy.receive("c", new CopyMessage.Promised(2, log.end()));

    assertThat(host.sent).containsExactly(new CopyMessage.Seal(1), new CopyMessage.Seal(1));
    assertThat(copy.role()).isEqualTo(Copy.Role.SEALING);
  }
}
