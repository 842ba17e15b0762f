//! The numbers of vectors, counted over all segments of a generation.

use std::sync::Arc;

use heirloom_core::recall::Slot;

use crate::segment::Segment;

/// The number of a slot that has no vector.
const NO_VECTOR: u32 = u32::MAX;

/// The numbers of the vectors of some segments.
#[derive(Default)]
pub(crate) struct VectorNumbers {
    segments: Vec<Arc<Segment>>,
    /// The number of each segment's first vector.
    first_of_segment: Vec<u32>,
    /// The number of each slot's first vector.
    first_of_slot: Vec<u32>,
}

impl VectorNumbers {
    /// Numbers the vectors of so many slots again after the last segments were replaced, and keeps the numbers of the
    /// others.
    pub(crate) fn update(&mut self, slots: usize, segments: &[Arc<Segment>]) {
        let pairs = self.segments.iter().zip(segments);
        let kept = pairs.take_while(|(old, new)| Arc::ptr_eq(old, new)).count();
        self.segments.truncate(kept);
        self.first_of_segment.truncate(kept);
        let mut first = self.segments.iter().map(|segment| segment.vector_count() as u32).sum();
        for number in &mut self.first_of_slot {
            *number = if *number < first { *number } else { NO_VECTOR };
        }
        self.first_of_slot.resize(slots, NO_VECTOR);
        for segment in &segments[kept..] {
            self.first_of_segment.push(first);
            // In reverse, so that the first vector of a slot is written last.
            for (vector, slot) in segment.slots().enumerate().rev() {
                if let Some(number) = self.first_of_slot.get_mut(slot as usize) {
                    *number = first + vector as u32;
                }
            }
            first += segment.vector_count() as u32;
            self.segments.push(segment.clone());
        }
    }

    /// Returns the number of the first vector of the segment at an index.
    pub(crate) fn first_of_segment(&self, index: usize) -> usize {
        self.first_of_segment[index] as usize
    }

    /// Returns the segment of the first vector of a slot, and the number of that vector in there, if it has one.
    pub(crate) fn first_vector(&self, slot: Slot) -> Option<(&Segment, usize)> {
        let number = *self.first_of_slot.get(slot as usize)?;
        let index =
            self.first_of_segment.partition_point(|first| *first <= number).checked_sub(1)?;
        let segment = &*self.segments[index];
        let vector = (number - self.first_of_segment[index]) as usize;
        (vector < segment.vector_count()).then_some((segment, vector))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::{SegmentBuilder, VectorRows};

    fn segment(slots: &[Slot]) -> Arc<Segment> {
        let mut rows = VectorRows::default();
        slots.iter().for_each(|slot| rows.add(*slot, &[1.0, -1.0]));
        let mut builder = SegmentBuilder::new(2);
        builder.add_vectors(rows);
        Arc::new(builder.finish().unwrap().open_in_memory().unwrap())
    }

    #[test]
    fn numbers_are_the_same_after_each_update_as_made_at_once() {
        let large = segment(&[0, 1, 1, 2, 4]);
        let generations = [
            (5, vec![large.clone()]),
            (7, vec![large.clone(), segment(&[5]), segment(&[6])]),
            // The vector of slot 5 was dropped when the small segments were merged.
            (8, vec![large.clone(), segment(&[6, 7])]),
            (8, vec![segment(&[0, 1, 2, 6])]),
            (0, vec![]),
        ];
        let mut updated = VectorNumbers::default();
        for (slots, segments) in generations {
            updated.update(slots, &segments);
            let mut new = VectorNumbers::default();
            new.update(slots, &segments);
            assert_eq!(updated.first_of_segment, new.first_of_segment);
            assert_eq!(updated.first_of_slot, new.first_of_slot);
            for slot in 0..slots as Slot {
                let expected = segments.iter().find_map(|segment| {
                    Some((segment, segment.slots().position(|other| other == slot)?))
                });
                let found = updated.first_vector(slot);
                assert_eq!(found.map(|(_, vector)| vector), expected.map(|(_, vector)| vector));
                let is_same = found.zip(expected).is_none_or(|(a, b)| std::ptr::eq(a.0, &**b.0));
                assert!(is_same, "{slot}");
            }
        }
    }
}
