package io.github.stablecut.internal.paging;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.CheckpointView;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The files of checkpoints that somebody holds, one {@link PageFiles} per checkpoint, so that who
 * reads at the same one finds the same pages. Holds those of the newest one that was asked for.
 * Thread-safe.
 */
final class RetainedFiles {
  @GuardedBy("this")
  private final List<WeakReference<PageFiles>> known = new ArrayList<>();

  private volatile @Nullable PageFiles newest;

  private final Released released = new Released();

  /**
   * What is done when files were let go of. Whoever refers to this must not hold the files.
   * Thread-safe.
   */
  private static final class Released implements Runnable {
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
   * Has something done whenever files were let go of that nobody holds any more.
   *
   * @param then held weakly
   */
  void whenReleased(Runnable then) {
    released.then = new WeakReference<>(then);
  }

  /** The files of a checkpoint, which a view has. */
  PageFiles of(CheckpointView view, VectorClock at) {
    PageFiles last = newest;
    return last != null && last.at().equals(at) ? last : find(view, at);
  }

  private synchronized PageFiles find(CheckpointView view, VectorClock at) {
    for (WeakReference<PageFiles> each : known) {
      PageFiles files = each.get();
      if (files != null && files.at().equals(at)) {
        return offered(files);
      }
    }
    PageFiles files = new PageFiles(view, at, released);
    known.removeIf(each -> each.refersTo(null));
    known.add(new WeakReference<>(files));
    return offered(files);
  }

  /** Keeps files as the newest ones if they are. */
  @GuardedBy("this")
  private PageFiles offered(PageFiles files) {
    PageFiles last = newest;
    if (last == null || last.at().isAtOrBefore(files.at())) {
      newest = files;
    }
    return files;
  }

  /** Lets go of files that others have replaced in a newer view. */
  synchronized void moveTo(CheckpointView newer) {
    for (WeakReference<PageFiles> each : known) {
      PageFiles files = each.get();
      if (files != null) {
        files.moveTo(newer);
      }
    }
  }

  /** Lets go of the files, as far as nobody else holds them. */
  void forget() {
    newest = null;
  }
}
