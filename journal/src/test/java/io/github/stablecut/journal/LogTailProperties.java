package io.github.stablecut.journal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.journal.testing.LossySegments;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * A follower's log, with records of several epochs and repeatedly cut off, keeps its synced records
 * after any power failure.
 */
final class LogTailProperties {
  private static final JournalOptions OPTIONS = OpenJournal.OPTIONS.withSegmentBytes(16 << 10);
  private static final int LIVES = 5;
  private static final int STEPS = 25;

  private record Entry(long epoch, String body) {}

  private static final class Life {
    final OpenJournal open;
    final Journal journal;
    final List<Entry> log;
    long epoch;

    Life(LossySegments disk, List<Entry> before, long epoch) {
      this.open = new OpenJournal(disk, OPTIONS);
      this.journal = open.journal;
      this.log = new ArrayList<>(before);
      this.epoch = epoch;
      assertThat(open.recoveredBodies()).isEqualTo(before.stream().map(Entry::body).toList());
      check();
    }

    void step(Random random) {
      int what = random.nextInt(10);
      if (what < 6) {
        append(random);
      } else if (what == 6) {
        epoch += 1 + random.nextInt(3);
        journal.beginEpoch(epoch);
      } else if (what == 7) {
        journal.roll();
      } else if (!log.isEmpty()) {
        cut(1 + random.nextInt(log.size()), random.nextBoolean());
      }
      check();
    }

    private void append(Random random) {
      for (int i = random.nextInt(5); i >= 0; i--) {
        int length = random.nextInt(15) == 0 ? random.nextInt(2_000_000) : random.nextInt(4_000);
        String body = log.size() + ":" + random.nextInt() + "-".repeat(length);
        open.append(body);
        log.add(new Entry(epoch, body));
      }
      journal.flushGroup();
    }

    /** May also return to an epoch before one without records. */
    private void cut(int number, boolean isOlder) {
      long before = number == 1 ? 0 : log.get(number - 2).epoch;
      epoch = isOlder && before > 0 ? before : epoch + 1;
      journal.cut(number, epoch);
      log.subList(number - 1, log.size()).clear();
    }

    private void check() {
      LogEpochs epochs = journal.epochs();
      List<Entry> read = new ArrayList<>();
      if (!log.isEmpty()) {
        journal.scanNumbers(
            1,
            (number, record) -> {
              assertThat(number).isEqualTo(read.size() + 1);
              read.add(new Entry(epochs.at(number), new String(record.body(), UTF_8)));
              return true;
            });
      }
      assertThat(read).isEqualTo(log);
      assertThat(journal.nextRecord()).isEqualTo(log.size() + 1);
      assertThat(epochs.last()).isEqualTo(epoch);
    }
  }

  @Property(tries = 100)
  void syncedRecordsAndEpochsThatWereNotCutOffSurvive(@ForAll long seed) {
    Random random = new Random(seed);
    LossySegments disk = new LossySegments();
    List<Entry> log = List.of();
    long epoch = 0;
    for (int life = 0; life < LIVES; life++) {
      Life now = new Life(disk, log, epoch);
      for (int i = random.nextInt(STEPS); i >= 0; i--) {
        now.step(random);
      }
      log = now.log;
      epoch = now.epoch;
      if (random.nextBoolean()) {
        now.journal.close();
        disk = disk.afterKill();
      } else {
        double survival = random.nextDouble();
        disk = disk.afterPowerCut((segment, page) -> random.nextDouble() < survival);
      }
    }
  }
}
