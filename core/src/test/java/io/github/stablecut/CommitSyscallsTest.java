package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.stablecut.journal.JvmFlags;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The system calls of durable updates, as strace counts them, whatever the machine's load. */
final class CommitSyscallsTest {
  private static final int UPDATES = 500;

  /** The begin and the end of the count: a file that does not exist is looked up. */
  private static final String MARK = "/proc/self/task/mark";

  private static final Pattern CALL = Pattern.compile("^(\\d+) +([a-z]\\w*)\\(");

  @TempDir Path directory;

  /** The name of a system call, and the thread that made it. */
  private record Call(String thread, String name) {}

  /**
   * The caller writes and syncs itself, and wakes no other thread; with room for a busy machine.
   */
  @Test
  void aLoneWriterMakesFourSystemCallsPerUpdate() throws Exception {
    List<Call> calls = callsOf(1);

    List<Call> ofWriter = callsOfTheWriter(calls);
    assertThat(count(ofWriter, "fdatasync")).isBetween(UPDATES * 3 / 4, UPDATES * 5 / 4);
    assertThat(count(ofWriter, "futex")).isLessThan(UPDATES / 2);
    assertThat(ofWriter.size()).isBetween(2 * UPDATES, 5 * UPDATES);
  }

  /** The calls of the thread that syncs most. */
  private static List<Call> callsOfTheWriter(List<Call> calls) {
    return calls.stream().collect(Collectors.groupingBy(Call::thread)).values().stream()
        .max(Comparator.comparingInt(ofThread -> count(ofThread, "fdatasync")))
        .orElseThrow();
  }

  /** Threads share syncs; each sleeps and is woken about once per update. */
  @Test
  void manyWritersShareSyncsAndWakeUps() throws Exception {
    int threads = 16;
    int updates = threads * UPDATES;
    List<Call> calls = callsOf(threads);

    assertThat(count(calls, "fdatasync")).isBetween(1, updates / 2);
    assertThat(count(calls, "futex")).isBetween(updates / 2, 5 * updates);
    assertThat(calls.size()).isLessThan(7 * updates);
  }

  private static int count(List<Call> calls, String name) {
    return (int) calls.stream().filter(call -> call.name.equals(name)).count();
  }

  /** The calls of all threads of a process in which some threads update counters. */
  private List<Call> callsOf(int threads) throws Exception {
    boolean canTrace = ChildJvm.canRun("strace", "-qq", "-o", "/dev/null", "true");
    if (!canTrace) {
      System.err.println("SKIPPED: strace is missing, so no test counts the calls of an update");
    }
    assumeTrue(canTrace, "strace is missing");
    Path log = directory.resolve("log");
    List<String> command =
        new ArrayList<>(List.of("strace", "-f", "-qq", "-s", "0", "-o", log.toString()));
    List<String> flags = new ArrayList<>(JvmFlags.all());
    flags.addAll(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1"));
    String store = directory.resolve("store").toString();
    command.addAll(ChildJvm.builder(flags, Writers.class, store, "" + threads).command());
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    assertThat(ChildJvm.lines(process, 2)).containsExactly("done");
    assertThat(process.waitFor()).isZero();
    return callsBetweenMarks(log);
  }

  private static List<Call> callsBetweenMarks(Path log) throws Exception {
    List<Call> calls = new ArrayList<>();
    int marks = 0;
    for (String line : Files.readAllLines(log)) {
      Matcher call = CALL.matcher(line);
      if (!call.find()) {
        continue;
      }
      if (line.contains(MARK)) {
        marks++;
      } else if (marks == 1) {
        calls.add(new Call(call.group(1), call.group(2)));
      }
    }
    assertThat(marks).isEqualTo(2);
    return calls;
  }

  /** Threads that each increment a counter of their own, first some times without being counted. */
  static final class Writers {
    public static void main(String[] args) throws Exception {
      int threads = Integer.parseInt(args[1]);
      CountDownLatch warm = new CountDownLatch(threads);
      CountDownLatch start = new CountDownLatch(1);
      try (Store store = Stablecut.open(Path.of(args[0]))) {
        List<Thread> running = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
          Update update = Key.counter("bucket", "counter-" + i).increment();
          Thread thread = new Thread(() -> write(store, update, warm, start));
          thread.start();
          running.add(thread);
        }
        warm.await();
        mark();
        start.countDown();
        for (Thread thread : running) {
          thread.join();
        }
        mark();
      }
      System.out.println("done");
    }

    private static void write(
        Store store, Update update, CountDownLatch warm, CountDownLatch start) {
      write(store, update);
      warm.countDown();
      try {
        start.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      write(store, update);
    }

    private static void write(Store store, Update update) {
      for (int i = 0; i < UPDATES; i++) {
        store.update(update);
      }
    }

    private static void mark() {
      if (Files.exists(Path.of(MARK))) {
        throw new IllegalStateException(MARK + " exists");
      }
    }
  }
}
