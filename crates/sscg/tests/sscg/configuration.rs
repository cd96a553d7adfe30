//! Documentation of all options.

use expect_test::expect_file;
use sscg::config::reference;

#[test]
fn the_page_about_the_configuration_is_that_of_the_source_code() {
    expect_file!["../../../../docs/configuration.md"].assert_eq(&reference());
}
