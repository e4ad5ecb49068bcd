package io.github.stablecut.cluster.internal.admin;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.tools.VerificationReport;

/** What a verification has found, as JSON. */
public final class VerificationJson {
  private VerificationJson() {}

  /** The facts; those that a verification of checksums does not have are 0. */
  public static ObjectNode json(VerificationReport report) {
    ObjectNode facts = JsonNodeFactory.instance.objectNode();
    VerificationReport.Checked checked = report.checked();
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
