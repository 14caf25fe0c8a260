package dev.tidemark.retention.it.check;

import dev.tidemark.retention.it.check.Body.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What ran of a body. A branch is an arm of IF or CASE, the ELSE that is not written, a loop's body
 * once entered, or an exception handler. What a SQL statement decides within itself is not seen,
 * nor is whether an EXIT WHEN left the loop.
 */
record Coverage(String function, Share statements, Share branches, List<String> uncovered) {
  /** Below this, a function has too little of a test. */
  static final double LEAST = 0.95;

  record Share(int covered, int all) {
    double ratio() {
      return all == 0 ? 1 : (double) covered / all;
    }

    @Override
    public String toString() {
      return "%.1f".formatted(100 * ratio());
    }
  }

  private record Branch(int line, String what, boolean taken) {}

  boolean isEnough() {
    return statements.ratio() >= LEAST && branches.ratio() >= LEAST;
  }

  static Coverage of(Body body) {
    List<String> uncovered = new ArrayList<>();
    int run = 0;
    for (Statement statement : body.statements()) {
      if (statement.runs() > 0) {
        run++;
      } else {
        uncovered.add(place(body, statement.line(), statement.name() + " never ran"));
      }
    }
    int taken = 0;
    List<Branch> branches = branches(body);
    for (Branch branch : branches) {
      if (branch.taken()) {
        taken++;
      } else {
        uncovered.add(place(body, branch.line(), branch.what() + " was never taken"));
      }
    }
    return new Coverage(
        body.function(),
        new Share(run, body.statements().size()),
        new Share(taken, branches.size()),
        uncovered);
  }

  private static String place(Body body, int line, String what) {
    return "line %d: %s: %s".formatted(line, what, body.line(line));
  }

  private static List<Branch> branches(Body body) {
    List<Branch> branches = new ArrayList<>();
    for (Statement parent : body.statements()) {
      Map<String, Statement> arms = arms(body, parent);
      arms.forEach(
          (arm, first) -> {
            if (!arm.equals("body")) {
              branches.add(new Branch(parent.line(), parent.name() + ", " + arm, first.runs() > 0));
            }
          });
      if (parent.name().equals("IF") && !arms.containsKey("else body")) {
        long elsewhere = arms.values().stream().mapToLong(Statement::runs).sum();
        // A condition that fails enters no arm either.
        boolean taken = parent.runs() - parent.failures() > elsewhere;
        branches.add(new Branch(parent.line(), "IF, without an else", taken));
      }
    }
    return branches;
  }

  /** The first statement of each arm. */
  private static Map<String, Statement> arms(Body body, Statement parent) {
    Map<String, Statement> arms = new LinkedHashMap<>();
    for (Statement statement : body.statements()) {
      if (statement.parent() == parent.id()) {
        arms.merge(statement.arm(), statement, (a, b) -> a.block() <= b.block() ? a : b);
      }
    }
    return arms;
  }
}
