package io.github.stablecut.cluster.internal.admin;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.exchange.JsonBytes;
import io.github.stablecut.tools.JournalEntry;
import io.github.stablecut.tools.JournalEntry.CheckpointAnnouncement;
import io.github.stablecut.tools.JournalEntry.ClockCeiling;
import io.github.stablecut.tools.JournalEntry.Effect;
import io.github.stablecut.tools.JournalEntry.End;
import io.github.stablecut.tools.JournalEntry.Other;
import io.github.stablecut.tools.JournalEntry.Prepared;
import io.github.stablecut.tools.JournalEntry.Reached;
import io.github.stablecut.tools.JournalEntry.Request;
import io.github.stablecut.tools.JournalEntry.Sessions;
import io.github.stablecut.tools.JournalEntry.Transaction;
import java.util.List;

/** Converts journal records to JSON. */
public final class JournalJson {
  private JournalJson() {}

  /** Converts a record. */
  public static ObjectNode json(JournalEntry entry) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
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
      put(node.putObject("promised"), reached.promised());
    } else if (entry.content() instanceof CheckpointAnnouncement checkpoint) {
      node.put("kind", "checkpoint");
      put(node.putObject("at"), checkpoint.at());
    } else if (entry.content() instanceof Other other) {
      node.put("kind", "other");
      node.put("number", other.kind());
      node.put("bytes", other.bytes());
    }
    return node;
  }

  private static void put(ObjectNode node, long timestamp) {
    node.put("time", InspectionReport.time(timestamp));
    node.put("timestamp", number(timestamp));
  }

  private static void put(ObjectNode node, VectorClock vector) {
    node.put("time", InspectionReport.time(vector));
    ArrayNode timestamps = node.putArray("timestamps");
    for (int dataCentre = 0; dataCentre < vector.size(); dataCentre++) {
      timestamps.add(number(vector.get(dataCentre)));
    }
  }

  /** A timestamp as text, because not every JSON parser supports 64-bit numbers. */
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
}
