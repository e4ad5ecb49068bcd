package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.CausalToken;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.exchange.JsonBytes;
import io.github.stablecut.cluster.terminal.Table;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.InvalidTokenException;
import io.github.stablecut.tools.JournalDump;
import io.github.stablecut.tools.JournalDump.Filter;
import io.github.stablecut.tools.JournalEntry;
import io.github.stablecut.tools.JournalEntry.CheckpointTold;
import io.github.stablecut.tools.JournalEntry.ClockCeiling;
import io.github.stablecut.tools.JournalEntry.Effect;
import io.github.stablecut.tools.JournalEntry.End;
import io.github.stablecut.tools.JournalEntry.Other;
import io.github.stablecut.tools.JournalEntry.Prepared;
import io.github.stablecut.tools.JournalEntry.Reached;
import io.github.stablecut.tools.JournalEntry.Request;
import io.github.stablecut.tools.JournalEntry.Sessions;
import io.github.stablecut.tools.JournalEntry.Transaction;
import io.github.stablecut.tools.ObjectName;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** {@code stablecut journal dump}: the journal of a store that nobody has open. */
@Command(
    name = "stablecut journal dump",
    description = {
      "Prints the journal records of a closed store. Read-only.",
      "Exit code 0 on success, 1 if the journal is damaged, 2 if there is no store, if it is in"
          + " use, or if the arguments are invalid."
    })
public final class DumpJournal extends OfflineCommand {
  @Option(
      names = "--key",
      paramLabel = "BUCKET/KEY",
      converter = NameConverter.class,
      description = "only records of this object; the bucket ends at the first slash")
  private @Nullable ObjectName key;

  @Option(
      names = "--from",
      paramLabel = "TIME",
      converter = TimeConverter.class,
      description = "from this time on, such as 2026-11-20T08:00:00Z")
  private @Nullable Instant from;

  @Option(
      names = "--to",
      paramLabel = "TIME",
      converter = TimeConverter.class,
      description = "up to this time")
  private @Nullable Instant to;

  @Option(names = "--json", description = "print one JSON object per record and line")
  private boolean json;

  private final ObjectMapper mapper = new ObjectMapper();

  DumpJournal() {}

  /**
   * Shows the journal, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new DumpJournal(), args));
  }

  @Override
  Exit read(Path directory) {
    PrintWriter out = out();
    Filter filter =
        new Filter(Optional.ofNullable(key), Optional.ofNullable(from), Optional.ofNullable(to));
    JournalDump.Result result =
        JournalDump.run(
            directory, filter, entry -> out.print(json ? jsonOf(entry) + "\n" : textOf(entry)));
    out.flush();
    PrintWriter err = err();
    result.notes().forEach(note -> err.println("note: " + note));
    result.damages().forEach(damage -> err.println("damaged: " + damage));
    return result.damages().isEmpty() ? Exit.DONE : Exit.FAILED;
  }

  private static String textOf(JournalEntry entry) {
    StringBuilder text = new StringBuilder();
    text.append(
        "p%d segment %d offset %d sequence %d: "
            .formatted(entry.partition(), entry.segment(), entry.offset(), entry.sequence()));
    if (entry.content() instanceof Transaction transaction) {
      text.append("transaction of ").append(Timestamp.format(transaction.time()));
      if (transaction.dataCentre() != 0) {
        text.append(", data centre ").append(transaction.dataCentre());
      }
      transaction.id().ifPresent(id -> text.append(", ").append(id));
      if (!transaction.participants().isEmpty()) {
        text.append(" with partitions ").append(transaction.participants());
      }
      append(text, transaction.effects());
    } else if (entry.content() instanceof Prepared prepared) {
      text.append("prepared at ").append(Timestamp.format(prepared.time()));
      text.append(", ").append(prepared.id());
      append(text, prepared.effects());
    } else if (entry.content() instanceof End end) {
      text.append("end of ").append(end.id());
    } else if (entry.content() instanceof Sessions sessions) {
      text.append("sessions");
      for (Request request : sessions.requests()) {
        String time = Timestamp.format(request.time());
        text.append(
            "%n    %s: request %d at %s".formatted(request.session(), request.number(), time));
      }
    } else if (entry.content() instanceof ClockCeiling ceiling) {
      text.append("clock ceiling of ").append(Timestamp.format(ceiling.time()));
    } else if (entry.content() instanceof Reached reached) {
      text.append("other data centres up to ").append(reached.reached());
    } else if (entry.content() instanceof CheckpointTold told) {
      text.append("checkpoint of all copies at ").append(told.at());
    } else if (entry.content() instanceof Other other) {
      text.append("kind %d, %,d bytes".formatted(other.kind(), other.bytes()));
    }
    return text.append(System.lineSeparator()).toString();
  }

  private static void append(StringBuilder text, List<Effect> effects) {
    for (Effect effect : effects) {
      text.append(
          "%n    %s, %s: %s"
              .formatted(effect.object(), effect.type(), Table.printable(effect.effect())));
    }
  }

  private String jsonOf(JournalEntry entry) {
    ObjectNode node = mapper.createObjectNode();
    node.put("partition", entry.partition());
    node.put("segment", entry.segment());
    node.put("offset", entry.offset());
    node.put("sequence", entry.sequence());
    if (entry.content() instanceof Transaction transaction) {
      node.put("kind", "transaction");
      put(node, transaction.time());
      node.put("dataCentre", transaction.dataCentre());
      put(node.putObject("snapshot"), transaction.snapshot());
      transaction.id().ifPresent(id -> node.put("id", id));
      if (!transaction.participants().isEmpty()) {
        transaction.participants().forEach(node.putArray("participants")::add);
      }
      put(node, transaction.effects());
    } else if (entry.content() instanceof Prepared prepared) {
      node.put("kind", "prepared");
      put(node, prepared.time());
      put(node.putObject("snapshot"), prepared.snapshot());
      node.put("id", prepared.id());
      put(node, prepared.effects());
    } else if (entry.content() instanceof End end) {
      node.put("kind", "end");
      node.put("id", end.id());
    } else if (entry.content() instanceof Sessions sessions) {
      node.put("kind", "sessions");
      ArrayNode requests = node.putArray("requests");
      for (Request request : sessions.requests()) {
        ObjectNode one = requests.addObject().put("session", request.session());
        put(one.put("number", request.number()), request.time());
      }
    } else if (entry.content() instanceof ClockCeiling ceiling) {
      node.put("kind", "clock");
      put(node, ceiling.time());
    } else if (entry.content() instanceof Reached reached) {
      node.put("kind", "reached");
      put(node.putObject("reached"), reached.reached());
    } else if (entry.content() instanceof CheckpointTold told) {
      node.put("kind", "checkpoint");
      put(node.putObject("at"), told.at());
    } else if (entry.content() instanceof Other other) {
      node.put("kind", "other");
      node.put("number", other.kind());
      node.put("bytes", other.bytes());
    }
    return node.toString();
  }

  private static void put(ObjectNode node, long timestamp) {
    node.put("time", Inspect.time(timestamp));
    node.put("timestamp", number(timestamp));
  }

  private static void put(ObjectNode node, VectorClock vector) {
    node.put("time", Inspect.time(vector));
    ArrayNode timestamps = node.putArray("timestamps");
    for (int dataCentre = 0; dataCentre < vector.size(); dataCentre++) {
      timestamps.add(number(vector.get(dataCentre)));
    }
  }

  /** Not every reader of JSON has numbers of 64 bits. */
  private static String number(long timestamp) {
    return "%016x".formatted(timestamp);
  }

  private static void put(ObjectNode node, List<Effect> all) {
    ArrayNode effects = node.putArray("effects");
    all.forEach(effect -> put(effects.addObject(), effect));
  }

  private static void put(ObjectNode node, Effect effect) {
    node.set("bucket", JsonBytes.write(effect.object().bucket()));
    node.set("key", JsonBytes.write(effect.object().key()));
    node.put("type", effect.type());
    node.put("bytes", effect.bytes());
    node.put("effect", effect.effect());
  }

  /** Reads a bucket and a key. */
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

  /** Reads a time. */
  static final class TimeConverter implements ITypeConverter<Instant> {
    @Override
    public Instant convert(String text) {
      try {
        // What the commands print has the logical part of a time behind it: 2026-…Z+4.
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
