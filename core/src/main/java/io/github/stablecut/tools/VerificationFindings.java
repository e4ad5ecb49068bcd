package io.github.stablecut.tools;

import io.github.stablecut.journal.JournalReadListener;
import io.github.stablecut.journal.segment.CorruptJournalException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Collects the findings of a verification. Confined to one thread. */
final class VerificationFindings implements JournalReadListener {
  private final List<String> damages = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private final boolean isBeingWritten;
  private long damageCount;

  VerificationFindings() {
    this(false);
  }

  private VerificationFindings(boolean isBeingWritten) {
    this.isBeingWritten = isBeingWritten;
  }

  /** Findings about a journal that is being written, whose last record may be incomplete. */
  static VerificationFindings whileWritten() {
    return new VerificationFindings(true);
  }

  /**
   * Adds damage, unless it is already listed. Beyond the maximum list size, damage is only counted.
   * The same damage may be reported again, for instance of a file that two manifests name.
   */
  void add(String damage) {
    if (damages.contains(damage)) {
      return;
    }
    damageCount++;
    if (damages.size() < VerificationReport.MAX_LISTED) {
      damages.add(damage);
    }
  }

  void add(RuntimeException damage) {
    add(Objects.requireNonNullElse(damage.getMessage(), damage.toString()));
  }

  void note(String note) {
    notes.add(note);
  }

  @Override
  public void damaged(CorruptJournalException damage) {
    add(damage);
  }

  @Override
  public void torn(String message, boolean mayBeDamage) {
    if (!isBeingWritten) {
      note(message);
    }
  }

  List<String> notes() {
    return notes;
  }

  boolean isEmpty() {
    return damageCount == 0;
  }

  List<String> damages() {
    return damages;
  }

  VerificationReport report(VerificationReport.Coverage checked) {
    return new VerificationReport(damages, damageCount, notes, checked);
  }
}
