package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code stablecut top}: what a running server does, again and again. */
@Command(
    name = "stablecut top",
    description = {
      "Shows what a running server does, a line for each interval, until it is interrupted: records"
          + " and syncs of its journals per second, clients, open transactions and pins, the disk"
          + " space of journals and checkpoints, and whether it is ready.",
      "Exit code 0 after the last line, 1 if the server does not answer."
    })
public final class Top extends ShellCommand {
  /** The names of the columns are shown again after so many lines. */
  private static final int LINES = 20;

  private static final double MEBIBYTE = 1 << 20;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private AdminPort port = new AdminPort();

  @Option(
      names = "--interval",
      paramLabel = "MILLIS",
      defaultValue = "1000",
      description = "milliseconds from line to line, at least 10; default ${DEFAULT-VALUE}")
  private long intervalMillis;

  @Option(
      names = {"-n", "--lines"},
      paramLabel = "N",
      description = "end after so many lines")
  private long lines = Long.MAX_VALUE;

  @Option(names = "--json", description = "as lines of JSON")
  private boolean json;

  Top() {}

  /**
   * Shows it, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new Top(), args));
  }

  /** An answer, and when it came. */
  private record Sample(JsonNode status, long nanos) {
    double perSecond(Sample before, String counter) {
      long more = status.at(counter).asLong() - before.status.at(counter).asLong();
      return more * 1e9 / Math.max(1, nanos - before.nanos);
    }

    double mebibytes(String bytes) {
      return status.at(bytes).asLong() / MEBIBYTE;
    }
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (intervalMillis < 10 || lines < 1) {
      throw new ParameterException(
          spec.commandLine(), "the interval is at least 10 ms, and lines are 1 or more");
    }
    Sample before = sample();
    for (long line = 0; line < lines; line++) {
      TimeUnit.MILLISECONDS.sleep(intervalMillis);
      Sample now = sample();
      if (json) {
        out().println(object(before, now));
      } else {
        print(line, before, now);
      }
      before = now;
    }
    return Exit.DONE.code();
  }

  private void print(long line, Sample before, Sample now) {
    if (line % LINES == 0) {
      out()
          .println(
              "time                  records/s  syncs/s  clients  snapshots  journal MiB  checkpoints MiB  state");
    }
    out().println(line(before, now));
  }

  private static ObjectNode object(Sample before, Sample now) {
    ObjectNode line = JsonNodeFactory.instance.objectNode();
    line.put("time", Instant.now().truncatedTo(ChronoUnit.MILLIS).toString());
    line.put("recordsPerSecond", now.perSecond(before, "/store/journal/records"));
    line.put("syncsPerSecond", now.perSecond(before, "/store/journal/syncs"));
    line.put("connections", now.status.path("connections").asLong());
    line.put("openSnapshots", now.status.at("/store/openSnapshots").asLong());
    line.put("journalBytes", now.status.at("/store/journal/bytes").asLong());
    line.put("checkpointBytes", now.status.at("/store/checkpoints/bytes").asLong());
    line.put("ready", now.status.path("ready").asBoolean());
    line.put("warnings", warnings(now.status));
    return line;
  }

  private Sample sample() throws IOException, InterruptedException {
    return new Sample(port.ask(), System.nanoTime());
  }

  private static String line(Sample before, Sample now) {
    return "%-20s %,10.0f %,8.0f %,8d %,10d %,12.1f %,16.1f  %s"
        .formatted(
            Instant.now().truncatedTo(ChronoUnit.SECONDS),
            now.perSecond(before, "/store/journal/records"),
            now.perSecond(before, "/store/journal/syncs"),
            now.status.path("connections").asLong(),
            now.status.at("/store/openSnapshots").asLong(),
            now.mebibytes("/store/journal/bytes"),
            now.mebibytes("/store/checkpoints/bytes"),
            state(now.status));
  }

  private static int warnings(JsonNode status) {
    return status.path("warnings").size() + status.at("/store/health/warnings").size();
  }

  private static String state(JsonNode status) {
    int warnings = warnings(status);
    if (!status.path("ready").asBoolean()) {
      return "not ready: stablecut status says why";
    }
    return warnings == 0 ? "ready" : "ready, %,d warnings".formatted(warnings);
  }
}
