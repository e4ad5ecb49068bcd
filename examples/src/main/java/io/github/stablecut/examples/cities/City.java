package io.github.stablecut.examples.cities;

import io.github.stablecut.Store;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.examples.cities.Wall.Comment;
import io.github.stablecut.examples.cities.Wall.Post;
import io.github.stablecut.key.Update;
import io.github.stablecut.web.WebException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What can be done in a city. Everything goes to the city's own store and waits for no other city.
 * Thread-safe.
 *
 * <p>A comment is written to the store with the posts, where it is seen after the post that it
 * answers, and to a store of comments for each cable that leads away from here. Each of these is
 * shared by the two cities at the ends of the cable and knows of nothing else, so a comment is read
 * there as soon as it has arrived, whatever it depends on.
 */
final class City {
  private final int number;
  private final String name;
  private final Store wall;
  private final List<Store> ends;

  /** Grows over all cities, so that the newest post is the first everywhere. */
  private final AtomicLong ids;

  /**
   * A city.
   *
   * @param wall has everything, comments too
   * @param ends have comments, one for each cable
   * @param ids the last number that a post or comment of any city has got
   */
  City(int number, String name, Store wall, List<Store> ends, AtomicLong ids) {
    this.number = number;
    this.name = name;
    this.wall = wall;
    this.ends = List.copyOf(ends);
    this.ids = ids;
  }

  int number() {
    return number;
  }

  String name() {
    return name;
  }

  Store wall() {
    return wall;
  }

  List<Store> ends() {
    return ends;
  }

  /** Writes a post, and says what it is called. */
  String post(String text) {
    String id = newId();
    wall.update(Wall.post(id).assign(new Post(id, name, text)));
    return id;
  }

  /** Comments on a post, and says what the comment is called. */
  String comment(String post, String text) {
    checkIsHere(post);
    String id = newId();
    Update comment = Wall.comment(id).assign(new Comment(id, post, name, text));
    wall.update(comment);
    ends.forEach(end -> end.update(comment));
    return id;
  }

  /** Likes a post. */
  void like(String post) {
    checkIsHere(post);
    wall.update(Wall.likes(post).increment());
  }

  /** Sells a seat, if this city has one to sell. */
  void sell() {
    spend(Wall.SEATS.decrement(1));
  }

  /** Gives another city the right to sell a seat. */
  void give(int other) {
    if (other == number) {
      throw WebException.badRequest(name + " can't give itself a seat: choose another city");
    }
    spend(Wall.SEATS.transfer(1, other));
  }

  private void spend(Update update) {
    try {
      wall.update(update);
    } catch (OperationRefusedException e) {
      throw new WebException(
          409, name + " has no seat left to sell or give: another city may give it one");
    }
  }

  private void checkIsHere(String post) {
    if (wall.read(Wall.post(post)).isEmpty()) {
      throw new WebException(404, "there is no such post in " + name + ", or not yet");
    }
  }

  private String newId() {
    return "%012d".formatted(ids.incrementAndGet());
  }
}
