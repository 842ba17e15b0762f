#![no_main]

use heirloom_fuzz::targets;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    targets::learning_edit(data);
});
