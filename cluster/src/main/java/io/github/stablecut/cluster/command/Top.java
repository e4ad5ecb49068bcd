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

/** {@code stablecut top}: shows the activity of a running server at intervals. */
@Command(
    name = "stablecut top",
    description = {
      "Shows the activity of a running server, one line per interval, until interrupted: journal records and syncs per second, clients, open transactions and pins, the disk space of journals and checkpoints, and whether the server is ready.",
      "Exit code 0 after the last line, 1 if the server does not answer."
    })
public final class Top extends ShellCommand {
  /** The number of lines after which the header is printed again. */
  private static final int HEADER_INTERVAL = 20;

  private static final double MEBIBYTE = 1 << 20;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private AdminPort port = new AdminPort();

  @Option(
      names = "--interval",
      paramLabel = "MILLIS",
      defaultValue = "1000",
      description = "milliseconds between lines, at least 10; default ${DEFAULT-VALUE}")
  private long intervalMillis;

  @Option(
      names = {"-n", "--lines"},
      paramLabel = "N",
      description = "end after N lines")
  private long lines = Long.MAX_VALUE;

  @Option(names = "--json", description = "print lines of JSON")
  private boolean json;

  Top() {}

  /**
   * Prints the lines, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new Top(), args));
  }

  /** A status, and when it was received. */
  private record Sample(JsonNode status, long nanos) {
    double perSecond(Sample before, String counter) {
      long increase = status.at(counter).asLong() - before.status.at(counter).asLong();
      return increase * 1e9 / Math.max(1, nanos - before.nanos);
    }

    double mebibytes(String bytes) {
      return status.at(bytes).asLong() / MEBIBYTE;
    }
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (intervalMillis < 10 || lines < 1) {
      throw new ParameterException(
          spec.commandLine(), "the interval is at least 10 ms, and the number of lines at least 1");
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
    if (line % HEADER_INTERVAL == 0) {
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
      return "not ready: see stablecut status";
    }
    return warnings == 0 ? "ready" : "ready, %,d warnings".formatted(warnings);
  }
}
