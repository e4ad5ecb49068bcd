package io.github.stablecut.cluster.internal.admin;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.tools.VerificationReport;

/** Converts the report of a verification to JSON. */
public final class VerificationJson {
  private VerificationJson() {}

  /** Converts a report; figures that a verification of checksums lacks are 0. */
  public static ObjectNode json(VerificationReport report) {
    ObjectNode facts = JsonNodeFactory.instance.objectNode();
    VerificationReport.Coverage checked = report.checked();
    facts.put("segments", checked.segments());
    facts.put("records", checked.records());
    facts.put("effects", checked.effects());
    facts.put("checkpointFiles", checked.checkpointFiles());
    facts.put("entries", checked.entries());
    facts.put("compared", checked.compared());
    report.notes().forEach(facts.putArray("notes")::add);
    facts.put("damageCount", report.damageCount());
    report.damages().forEach(facts.putArray("damages")::add);
    return facts;
  }
}
