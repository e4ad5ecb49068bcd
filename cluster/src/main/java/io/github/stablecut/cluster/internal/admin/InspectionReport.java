package io.github.stablecut.cluster.internal.admin;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.tools.StoreDescription;
import io.github.stablecut.tools.StoreDescription.StoreFile;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Describes a store's files as JSON. */
public final class InspectionReport {
  private InspectionReport() {}

  /** The report. */
  public static ObjectNode json(StoreDescription facts) {
    ObjectNode report = new ObjectMapper().createObjectNode();
    report.put("store", "%016x".formatted(facts.storeId()));
    if (facts.restoredFrom().isPresent()) {
      report.put("restoredFrom", "%016x".formatted(facts.restoredFrom().getAsLong()));
    }
    facts.node().ifPresent(node -> report.put("node", node));
    ObjectNode formats = report.putObject("formats");
    formats.put("store", facts.formats().store());
    formats.put("journal", facts.formats().journal());
    formats.put("checkpoints", facts.formats().checkpoints());
    ArrayNode partitions = report.putArray("partitions");
    for (StoreDescription.Partition partition : facts.partitions()) {
      ObjectNode node = partitions.addObject();
      node.put("number", partition.number());
      put(node.putObject("times"), partition.times());
      put(node.putObject("journal"), partition.journal());
      put(node.putObject("checkpoints"), partition.checkpoints());
    }
    facts.findings().forEach(report.putArray("findings")::add);
    return report;
  }

  private static void put(ObjectNode node, StoreDescription.Times times) {
    node.put("lowWatermark", time(times.lowWatermark()));
    node.put("checkpointTime", time(times.checkpointTime()));
    node.put("causalSafePoint", time(times.causalSafePoint()));
    node.put("minDependency", time(times.minDependency()));
    node.put("maxCommitted", time(times.maxCommitted()));
    node.put("clockCeiling", time(times.clockCeiling()));
  }

  private static void put(ObjectNode node, StoreDescription.Journal journal) {
    node.put("epoch", journal.epoch());
    node.put("lastRecord", journal.lastRecord());
    node.put("firstSegmentNeeded", journal.firstSegment());
    node.put("records", journal.content().records());
    node.put("transactions", journal.content().transactions());
    node.put("effects", journal.content().effects());
    node.put("effectsSinceCheckpoint", journal.content().effectsSinceCheckpoint());
    ArrayNode segments = node.putArray("segments");
    journal.segments().forEach(segment -> put(segments.addObject(), segment));
  }

  private static void put(ObjectNode node, StoreDescription.Checkpoints checkpoints) {
    node.put("manifest", checkpoints.manifest());
    node.put("objects", checkpoints.objects());
    put(node.putArray("runs"), checkpoints.runs());
    put(node.putArray("histories"), checkpoints.histories());
  }

  private static void put(ArrayNode array, List<StoreDescription.Run> runs) {
    for (StoreDescription.Run run : runs) {
      ObjectNode node = array.addObject();
      put(node, run.file());
      node.put("at", time(run.at()));
      run.entries().ifPresent(entries -> node.put("entries", entries));
    }
  }

  private static void put(ObjectNode node, StoreFile file) {
    node.put("file", file.path().toString());
    AllocatedBytes.of(file.path()).ifPresent(bytes -> node.put("allocatedBytes", bytes));
    node.put("bytes", file.bytes());
  }

  /** The time in ISO 8601; null for a time before all commits. */
  public static @Nullable String time(VectorClock vector) {
    return vector.size() == 0 ? null : iso(Timestamp.epochMillis(vector));
  }

  /** The time in ISO 8601; null for a time before all commits. */
  public static @Nullable String time(long timestamp) {
    return timestamp == 0 ? null : iso(Timestamp.epochMillis(timestamp));
  }

  private static String iso(long epochMillis) {
    return Instant.ofEpochMilli(epochMillis).toString();
  }
}
