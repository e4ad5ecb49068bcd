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
 * An author's window. It keeps a transaction open at each of the last few versions that it
 * received. An edit of a version runs in that version's transaction, where its positions mean what
 * the author has seen, whatever others have written since. Thread-safe.
 */
final class Window implements AutoCloseable {
  /** The maximum number of code points in the text. */
  static final int LONGEST = 300_000;

  private static final int MAX_VERSIONS = 32;

  private final String id;
  private final String name;
  private final Desk desk;
  private final Runnable onClose;

  /** Oldest first; not empty while the window is open, once a version was sent. */
  @GuardedBy("this")
  private final Deque<Version> versions = new ArrayDeque<>();

  /** The number of committed edits; {@link #last} is the token of the newest. */
  @GuardedBy("this")
  private int edits;

  @GuardedBy("this")
  private Optional<CausalToken> last = Optional.empty();

  @GuardedBy("this")
  private boolean isClosed;

  /**
   * A version of the text.
   *
   * @param change from the previous version
   * @param edits the number of the window's own edits that it includes
   */
  private record Version(
      int number, Transaction transaction, String text, Patch change, int edits) {}

  /**
   * An event for the window.
   *
   * @param version of the text; the first is 1
   * @param change from the previous version, or at first from the empty text
   * @param edits the number of the window's own edits that the version includes
   * @param carets of all authors, including this one's
   */
  record View(String window, int version, Patch change, int edits, List<Caret> carets) {}

  Window(String id, String name, Desk desk, Runnable onClose) {
    this.id = id;
    this.name = name;
    this.desk = desk;
    this.onClose = onClose;
  }

  /** The newest version at the desk. */
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

  /** Adds a version; one with the same text as the last only replaces its transaction. */
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
    if (versions.size() > MAX_VERSIONS) {
      versions.removeFirst().transaction.close();
    }
    return version;
  }

  /**
   * Edits a version and sets the author's caret.
   *
   * @throws WebException with status 409 if the version is no longer retained; the edit was not
   *     made
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
          "the version has %1$,d characters, too few for %2$,d at position %3$,d"
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

  /** Sets the author's caret in the newest version. */
  synchronized void move(int position) {
    last =
        Optional.of(
            desk.store()
                .update(Paper.caret(id).assign(new Caret(id, name, desk.number(), position))));
  }

  /** Removes the author's caret. Idempotent. */
  @Override
  public synchronized void close() {
    if (!isClosed) {
      isClosed = true;
      onClose.run();
      versions.forEach(version -> version.transaction.close());
      versions.clear();
      try {
        desk.store().update(Paper.caret(id).clear());
      } catch (StoreClosedException e) {
        // The store is closed, and the caret with it.
      }
    }
  }
}
