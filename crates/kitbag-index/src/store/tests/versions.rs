//! A change of the records requires a new version, or outdated indexes would be used.

use super::*;
use crate::content_key::ContentKey;
use crate::record::{RECORD_VERSION, tests::record};
use crate::segment::Segment;

/// Version of the records, and checksum of the records of `FILES`.
const EXPECTED: (u32, u32) = (307, 1391192618);

const FILES: [(&str, &str); 6] = [
    (
        "cache.py",
        "\"\"\"Pages.\"\"\"\nimport os\n\n\nclass Cache(dict):\n    \"\"\"Keeps pages.\"\"\"\n\n    \
         @property\n    def size(self):\n        # How many there are.\n        return len(self)\n\n\n\
         def load_page(path, retries=3):\n    return os.open(path)\n",
    ),
    (
        "lib.rs",
        "//! Pages.\nuse std::fs;\n\n/// A page.\npub struct Page {\n    text: String,\n}\n\nimpl Page {\n    \
         /// Its length.\n    pub fn len(&self) -> usize {\n        self.text.len()\n    }\n}\n",
    ),
    (
        "app.ts",
        "export interface Page { id: number }\nexport const load = async (id: number) => id;\n",
    ),
    ("page.h", "namespace pages { class Page { public: int size() const; }; }\n"),
    ("README.md", "# Pages\n\nHow to load pages.\n\n## Usage\n\n```sh\nload_page index\n```\n"),
    ("data.json", "{\"pages\": [1, 2, 3], \"cacheSize\": 10}\n"),
];

#[test]
fn records_change_only_with_their_version() {
    let limits = ChunkLimits { min_chunk_tokens: 5, max_class_tokens: 20, ..Default::default() };
    let records = FILES.iter().zip(0..).map(|((path, content), number)| {
        let record = record(path, content, limits.clone(), &COUNTING);
        (ContentKey([number; 32]), Some(record))
    });
    let sum = crc32fast::hash(&Segment::build(records.collect()).to_bytes());
    assert_eq!(
        (RECORD_VERSION, sum),
        EXPECTED,
        "the records differ: bump RECORD_VERSION, and update EXPECTED"
    );
}
