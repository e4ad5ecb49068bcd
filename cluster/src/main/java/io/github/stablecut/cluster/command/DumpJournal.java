package io.github.stablecut.cluster.command;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.stablecut.CausalToken;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.admin.JournalJson;
import io.github.stablecut.cluster.internal.exchange.JsonBytes;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.InvalidTokenException;
import io.github.stablecut.error.PrintableText;
import io.github.stablecut.error.StoreInUseException;
import io.github.stablecut.tools.JournalDump;
import io.github.stablecut.tools.JournalDump.Filter;
import io.github.stablecut.tools.ObjectName;
import io.github.stablecut.tools.ToolProgress;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URLEncoder;
import java.nio.file.Path;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** {@code stablecut journal dump}: prints the journal of a closed store or of a running server. */
@Command(
    name = "stablecut journal dump",
    description = {
      "Prints the journal records of a closed store, or with --url the current ones of a running server. Read-only.",
      "Exit code 0 on success, 1 if the journal is damaged, 2 if there is no store, if it is in"
          + " use, or if the arguments are invalid."
    })
public final class DumpJournal extends ShellCommand {
  @Option(
      names = "--key",
      paramLabel = "BUCKET/KEY",
      converter = NameConverter.class,
      description = "print only records of this object; the bucket ends at the first slash")
  private @Nullable ObjectName key;

  @Option(
      names = "--from",
      paramLabel = "TIME",
      converter = TimeConverter.class,
      description = "print records from this time, such as 2026-11-20T08:00:00Z")
  private @Nullable Instant from;

  @Option(
      names = "--to",
      paramLabel = "TIME",
      converter = TimeConverter.class,
      description = "print records up to this time")
  private @Nullable Instant to;

  @Mixin private AdminPort port = new AdminPort();

  @Option(names = "--json", description = "print one JSON object per record and line")
  private boolean json;

  @Parameters(
      arity = "0..1",
      paramLabel = "DIR",
      description = "directory of a store or of a cluster node; omit it with --url")
  private List<Path> paths = List.of();

  DumpJournal() {}

  /**
   * Prints the journal, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new DumpJournal(), args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Optional<Path> directory = directory(paths, 0);
    JournalDump.Result result = directory.isPresent() ? dump(directory.get()) : runOnServer(port);
    out().flush();
    PrintWriter err = err();
    result.notes().forEach(note -> err.println("note: " + PrintableText.of(note)));
    result.damages().forEach(damage -> err.println("damaged: " + PrintableText.of(damage)));
    return (result.damages().isEmpty() ? Exit.DONE : Exit.FAILED).code();
  }

  private JournalDump.Result dump(Path directory) throws IOException, InterruptedException {
    Filter filter =
        new Filter(Optional.ofNullable(key), Optional.ofNullable(from), Optional.ofNullable(to));
    try {
      return JournalDump.run(directory, filter, entry -> print(JournalJson.json(entry)));
    } catch (StoreInUseException e) {
      return runOnServer(port.ofOwner(directory, e));
    }
  }

  private JournalDump.Result runOnServer(AdminPort server)
      throws IOException, InterruptedException {
    StringJoiner path = new StringJoiner("&", "/api/v1/journal?", "");
    Optional.ofNullable(key)
        .ifPresent(
            name -> {
              path.add("bucket=" + URLEncoder.encode(name.bucket().toUtf8(), UTF_8));
              path.add("key=" + URLEncoder.encode(name.key().toUtf8(), UTF_8));
            });
    Optional.ofNullable(from).ifPresent(time -> path.add("from=" + time));
    Optional.ofNullable(to).ifPresent(time -> path.add("to=" + time));
    JsonNode result =
        server.runTask(path.toString(), ToolProgress.NONE, event -> print(event.path("record")));
    return new JournalDump.Result(texts(result.path("damages")), texts(result.path("notes")));
  }

  private static List<String> texts(JsonNode array) {
    List<String> texts = new ArrayList<>();
    array.forEach(text -> texts.add(text.asText()));
    return texts;
  }

  private void print(JsonNode entry) {
    out().print(json ? entry + "\n" : textOf(entry));
  }

  private static String textOf(JsonNode entry) {
    StringBuilder text = new StringBuilder();
    text.append(
        "p%d segment %d offset %d sequence %d: "
            .formatted(
                entry.path("partition").asInt(),
                entry.path("segment").asInt(),
                entry.path("offset").asLong(),
                entry.path("sequence").asLong()));
    switch (entry.path("kind").asText()) {
      case "transaction" -> appendTransaction(text, entry);
      case "prepared" -> {
        text.append("prepared at ").append(timeOf(entry));
        text.append(", ").append(entry.path("id").asText());
        appendEffects(text, entry);
      }
      case "end" -> text.append("end of ").append(entry.path("id").asText());
      case "sessions" -> appendSessions(text, entry);
      case "clock" -> text.append("clock ceiling of ").append(timeOf(entry));
      case "reached" ->
          text.append("other data centres up to ")
              .append(vectorOf(entry.path("reached")))
              .append(", promised ")
              .append(vectorOf(entry.path("promised")));
      case "checkpoint" ->
          text.append("checkpoint of all replicas at ").append(vectorOf(entry.path("at")));
      default ->
          text.append(
              "kind %d, %,d bytes"
                  .formatted(entry.path("number").asInt(), entry.path("bytes").asLong()));
    }
    return text.append(System.lineSeparator()).toString();
  }

  private static void appendTransaction(StringBuilder text, JsonNode entry) {
    text.append("transaction of ").append(timeOf(entry));
    if (entry.path("dataCentre").asInt() != 0) {
      text.append(", data centre ").append(entry.path("dataCentre").asInt());
    }
    if (entry.has("id")) {
      text.append(", ").append(entry.path("id").asText());
    }
    if (entry.has("participants")) {
      List<Integer> participants = new ArrayList<>();
      entry.path("participants").forEach(number -> participants.add(number.asInt()));
      text.append(" with partitions ").append(participants);
    }
    appendEffects(text, entry);
  }

  private static void appendSessions(StringBuilder text, JsonNode entry) {
    text.append("sessions");
    for (JsonNode request : entry.path("requests")) {
      text.append(
          "%n    %s: request %d at %s"
              .formatted(
                  request.path("session").asText(),
                  request.path("number").asLong(),
                  timeOf(request)));
    }
  }

  private static void appendEffects(StringBuilder text, JsonNode entry) {
    for (JsonNode effect : entry.path("effects")) {
      ObjectName object =
          new ObjectName(
              JsonBytes.read(effect.path("bucket"), "a bucket"),
              JsonBytes.read(effect.path("key"), "a key"));
      text.append(
          "%n    %s, %s: %s"
              .formatted(
                  object,
                  effect.path("type").asText(),
                  PrintableText.of(effect.path("effect").asText())));
    }
  }

  private static String timeOf(JsonNode node) {
    return Timestamp.format(timestamp(node.path("timestamp")));
  }

  private static VectorClock vectorOf(JsonNode node) {
    List<Long> entries = new ArrayList<>();
    node.path("timestamps").forEach(one -> entries.add(timestamp(one)));
    return VectorClock.ofEntries(entries.stream().mapToLong(Long::longValue).toArray());
  }

  private static long timestamp(JsonNode hex) {
    return Long.parseUnsignedLong(hex.asText(), 16);
  }

  /** Parses a bucket and a key. */
  static final class NameConverter implements ITypeConverter<ObjectName> {
    @Override
    public ObjectName convert(String text) {
      int slash = text.indexOf('/');
      if (slash < 0) {
        throw new TypeConversionException("'" + text + "' has no slash between bucket and key");
      }
      return new ObjectName(
          Bytes.utf8(text.substring(0, slash)), Bytes.utf8(text.substring(slash + 1)));
    }
  }

  /** Parses a time or a token. */
  static final class TimeConverter implements ITypeConverter<Instant> {
    @Override
    public Instant convert(String text) {
      try {
        // Commands print a time with its logical part appended: 2026-…Z+4.
        String time = text.replaceFirst("^token of ", "").replaceFirst("(?<=Z)\\+[0-9]+$", "");
        return time.indexOf(':') < 0
            ? CausalToken.parse(time).time()
            : OffsetDateTime.parse(time).toInstant();
      } catch (DateTimeParseException | InvalidTokenException e) {
        throw new TypeConversionException(
            "'" + text + "' is neither a time such as 2026-11-20T08:00:00Z nor a token");
      }
    }
  }
}
