package dev.tidemark.retention.it;

import org.junit.platform.suite.api.IncludeClassNamePatterns;
import org.junit.platform.suite.api.SelectPackages;
import org.junit.platform.suite.api.Suite;

/** The published laws, as part of the build. */
@Suite
@SelectPackages("dev.tidemark.retention.it.laws")
@IncludeClassNamePatterns(".*Laws")
class LawsIT {}
