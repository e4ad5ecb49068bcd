package io.github.stablecut.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.journal.testing.LossySegments;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Protocol, scenario 12: whichever unsynced pages a power failure drops, every acknowledged record
 * survives, and so does a prefix of the others, unchanged and in order.
 */
final class PowerCutProperties {
  private static final JournalOptions OPTIONS = OpenJournal.OPTIONS.withSegmentBytes(16 << 10);
  private static final int LIVES = 6;
  private static final int STEPS = 30;

  /** The state of one run of the program. */
  private static final class Life {
    final OpenJournal journal;

    /** The records in the log at the start and those appended since, in order. */
    final List<String> written;

    /** The number of those that were acknowledged. */
    int acknowledged;

    Life(LossySegments disk) {
      journal = new OpenJournal(disk, OPTIONS);
      written = new ArrayList<>(journal.recoveredBodies());
      acknowledged = written.size();
    }

    void step(Random random) {
      int what = random.nextInt(10);
      if (what < 6) {
        append(random);
      } else if (what < 8) {
        journal.journal.flushGroup();
        acknowledged = written.size();
      } else if (what == 8) {
        journal.journal.writeGroup();
      } else {
        journal.journal.roll();
      }
    }

    private void append(Random random) {
      int length = random.nextInt(20) == 0 ? random.nextInt(3_000_000) : random.nextInt(6_000);
      String body = written.size() + ":" + random.nextInt() + "-".repeat(length);
      journal.append(body);
      written.add(body);
    }
  }

  @Property(tries = 150)
  void acknowledgedRecordsSurviveAnySubsetOfTheUnsyncedPages(@ForAll long seed) {
    Random random = new Random(seed);
    LossySegments disk = new LossySegments();
    List<String> before = List.of();
    for (int life = 0; life < LIVES; life++) {
      Life now = new Life(disk);
      assertThat(now.written.subList(0, before.size())).isEqualTo(before);
      for (int i = random.nextInt(STEPS); i >= 0; i--) {
        now.step(random);
      }
      double survival = random.nextDouble();
      disk = disk.afterPowerCut((segment, page) -> random.nextDouble() < survival);
      checkOrder(now, disk);
      before = now.written.subList(0, now.acknowledged);
    }
  }

  @Property(tries = 100)
  void acknowledgedRecordsSurviveTheLossOfAnyUnsyncedSuffix(@ForAll long seed) {
    Random random = new Random(seed);
    LossySegments disk = new LossySegments();
    Life life = new Life(disk);
    for (int i = 0; i < STEPS; i++) {
      life.step(random);
    }
    int segments = disk.segments().size();
    int lastSegment = 1 + random.nextInt(segments);
    int lastPage = random.nextInt(8);

    LossySegments left =
        disk.afterPowerCut(
            (segment, page) ->
                segment < lastSegment || (segment == lastSegment && page <= lastPage));

    checkOrder(life, left);
  }

  @Property(tries = 50)
  void everythingWrittenSurvivesAKill(@ForAll long seed) {
    Random random = new Random(seed);
    LossySegments disk = new LossySegments();
    Life life = new Life(disk);
    for (int i = 0; i < STEPS; i++) {
      life.step(random);
    }
    life.journal.journal.writeGroup();

    Life next = new Life(disk.afterKill());

    assertThat(next.written).isEqualTo(life.written);
  }

  private static void checkOrder(Life life, LossySegments disk) {
    List<String> recovered = new Life(disk.afterKill()).written;
    assertThat(recovered.size()).isBetween(life.acknowledged, life.written.size());
    assertThat(recovered).isEqualTo(life.written.subList(0, recovered.size()));
  }
}
