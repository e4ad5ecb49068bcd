package io.github.stablecut.examples.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.CausalToken;
import io.github.stablecut.Transaction;
import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.error.TransactionEndedException;
import io.github.stablecut.error.TransactionExpiredException;
import io.github.stablecut.examples.trace.Trace.Patch;
import io.github.stablecut.examples.write.Paper.Caret;
import io.github.stablecut.option.TransactionOptions;
import io.github.stablecut.web.WebException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * An author's window. It keeps a transaction open at each of the last few versions of the text that
 * it was told: an edit of one of them is executed in that version's transaction, where its
 * positions mean what the author has seen, whatever others have written since. Thread-safe.
 */
final class Window implements AutoCloseable {
  /** How many code points the text may have. */
  static final int LONGEST = 300_000;

  private static final int MOST_VERSIONS = 32;

  private final String id;
  private final String name;
  private final Desk desk;
  private final Runnable onClose;

  /** Oldest first; never empty while the window is open and was told anything. */
  @GuardedBy("this")
  private final Deque<Version> versions = new ArrayDeque<>();

  /** The edits that were committed, and the last of their tokens. */
  @GuardedBy("this")
  private int edits;

  @GuardedBy("this")
  private Optional<CausalToken> last = Optional.empty();

  @GuardedBy("this")
  private boolean isClosed;

  /**
   * A version of the text.
   *
   * @param change what leads to it from the one before
   * @param edits how many of the window's own edits are in it
   */
  private record Version(
      int number, Transaction transaction, String text, Patch change, int edits) {}

  /**
   * What a window is told.
   *
   * @param version of the text; the first is 1
   * @param change what leads to it from the version before, at first from the empty text
   * @param edits how many of the window's own edits are in it
   * @param carets of all authors, this one's too
   */
  record View(String window, int version, Patch change, int edits, List<Caret> carets) {}

  Window(String id, String name, Desk desk, Runnable onClose) {
    this.id = id;
    this.name = name;
    this.desk = desk;
    this.onClose = onClose;
  }

  /** The newest version that the desk has. */
  synchronized View view() {
    if (isClosed) {
      throw new WebException(410, "the window is closed");
    }
    TransactionOptions begin = TransactionOptions.defaults();
    Transaction next = desk.store().begin(last.map(token -> begin.after(token)).orElse(begin));
    try {
      Version version = keep(next);
      return new View(id, version.number, version.change, version.edits, Paper.carets(next));
    } catch (RuntimeException | Error e) {
      next.close();
      throw e;
    }
  }

  /** A version with the same text gets the younger transaction. */
  @GuardedBy("this")
  private Version keep(Transaction next) {
    String text = next.read(Paper.TEXT).toString();
    Version before = versions.peekLast();
    Version version;
    if (before == null) {
      version = new Version(1, next, text, Patch.between("", text), edits);
    } else if (before.text.equals(text) && before.edits == edits) {
      versions.removeLast().transaction.close();
      version = new Version(before.number, next, text, before.change, edits);
    } else {
      Patch change = Patch.between(before.text, text);
      version = new Version(before.number + 1, next, text, change, edits);
    }
    versions.addLast(version);
    if (versions.size() > MOST_VERSIONS) {
      versions.removeFirst().transaction.close();
    }
    return version;
  }

  /**
   * Edits a version, and says where the author is then.
   *
   * @throws WebException with status 409 if the version is not kept any more: the edit was not made
   */
  synchronized void edit(int number, Patch patch, int caret) {
    Version version =
        versions.stream()
            .filter(kept -> kept.number == number)
            .findAny()
            .orElseThrow(() -> outdated(number));
    check(patch, version.text);
    try {
      Transaction transaction = version.transaction;
      Paper.edit(transaction, patch);
      transaction.update(Paper.caret(id).assign(new Caret(id, name, desk.number(), caret)));
      last = Optional.of(transaction.commit());
      edits++;
    } catch (TransactionExpiredException | TransactionEndedException e) {
      throw outdated(number);
    }
    desk.signal().raise();
  }

  private static void check(Patch patch, String text) {
    int length = text.codePointCount(0, text.length());
    if (patch.position() > length - patch.deleted()) {
      throw WebException.badRequest(
          "the version has %,d characters: there are no %,d at %,d"
              .formatted(length, patch.deleted(), patch.position()));
    }
    if (length + patch.inserted().length() > LONGEST) {
      throw new WebException(
          413, "the text has at most %,d characters: delete something".formatted(LONGEST));
    }
  }

  private static WebException outdated(int number) {
    return new WebException(
        409, "version %,d is too old to be edited: edit the newest".formatted(number));
  }

  /** Says where the author is, in the newest version. */
  synchronized void move(int position) {
    last =
        Optional.of(
            desk.store()
                .update(Paper.caret(id).assign(new Caret(id, name, desk.number(), position))));
  }

  /** Nobody sees the author any more. Idempotent. */
  @Override
  public synchronized void close() {
    if (!isClosed) {
      isClosed = true;
      onClose.run();
      versions.forEach(version -> version.transaction.close());
      versions.clear();
      try {
        var unused = desk.store().update(Paper.caret(id).clear());
      } catch (StoreClosedException e) {
        // The caret goes with the store.
      }
    }
  }
}
