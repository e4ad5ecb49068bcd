package io.github.stablecut.internal.paging;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.CheckpointView;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The files of checkpoints in use, one {@link PageFiles} per checkpoint, so that readers of the
 * same checkpoint share its pages. Retains those of the newest checkpoint requested. Thread-safe.
 */
final class RetainedFiles {
  @GuardedBy("this")
  private final List<WeakReference<PageFiles>> known = new ArrayList<>();

  private volatile @Nullable PageFiles newest;

  private final ReleaseAction released = new ReleaseAction();

  /**
   * The action to run when files are released. References to this must not retain the files.
   * Thread-safe.
   */
  private static final class ReleaseAction implements Runnable {
    private volatile WeakReference<Runnable> then = new WeakReference<>(null);

    @Override
    public void run() {
      Runnable found = then.get();
      if (found != null) {
        found.run();
      }
    }
  }

  /**
   * Sets an action to run whenever unused files are released.
   *
   * @param then held weakly
   */
  void whenReleased(Runnable then) {
    released.then = new WeakReference<>(then);
  }

  /** The files of a checkpoint in a view. */
  PageFiles of(CheckpointView view, VectorClock at) {
    PageFiles last = newest;
    return last != null && last.at().equals(at) ? last : find(view, at);
  }

  private synchronized PageFiles find(CheckpointView view, VectorClock at) {
    for (WeakReference<PageFiles> each : known) {
      PageFiles files = each.get();
      if (files != null && files.at().equals(at)) {
        return retainIfNewest(files);
      }
    }
    PageFiles files = new PageFiles(view, at, released);
    known.removeIf(each -> each.refersTo(null));
    known.add(new WeakReference<>(files));
    return retainIfNewest(files);
  }

  /** Retains the files if they are the newest. */
  @GuardedBy("this")
  private PageFiles retainIfNewest(PageFiles files) {
    PageFiles last = newest;
    if (last == null || last.at().isAtOrBefore(files.at())) {
      newest = files;
    }
    return files;
  }

  /** Releases files that a newer view has replaced. */
  synchronized void moveTo(CheckpointView newer) {
    for (WeakReference<PageFiles> each : known) {
      PageFiles files = each.get();
      if (files != null) {
        files.moveTo(newer);
      }
    }
  }

  /** Releases the files, unless they are in use. */
  void forget() {
    newest = null;
  }
}
