//! The instruction sets of the kernels of a neural network.

/// A set of instructions that this processor has: a value can be got from [`Instructions::best`] and
/// [`Instructions::available`] alone, which detect them. All sets return the same numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instructions(pub(super) Set);

/// The sets, the fastest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Set {
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni,
    #[cfg(target_arch = "x86_64")]
    AvxVnni,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "aarch64")]
    NeonDotProduct,
    Portable,
}

impl Set {
    const ALL: &[Set] = &[
        #[cfg(target_arch = "x86_64")]
        Set::Avx512Vnni,
        #[cfg(target_arch = "x86_64")]
        Set::AvxVnni,
        #[cfg(target_arch = "x86_64")]
        Set::Avx512,
        #[cfg(target_arch = "x86_64")]
        Set::Avx2,
        #[cfg(target_arch = "aarch64")]
        Set::NeonDotProduct,
        Set::Portable,
    ];

    fn is_available(self) -> bool {
        #[cfg(target_arch = "aarch64")]
        use std::arch::is_aarch64_feature_detected as is_detected;
        #[cfg(target_arch = "x86_64")]
        use std::arch::is_x86_feature_detected as is_detected;
        match self {
            #[cfg(target_arch = "x86_64")]
            Set::Avx512Vnni => Set::Avx512.is_available() && is_detected!("avx512vnni"),
            #[cfg(target_arch = "x86_64")]
            Set::AvxVnni => Set::Avx2.is_available() && is_detected!("avxvnni"),
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => {
                Set::Avx2.is_available()
                    && is_detected!("avx512f")
                    && is_detected!("avx512bw")
                    && is_detected!("avx512dq")
                    && is_detected!("avx512vl")
            }
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => is_detected!("avx2") && is_detected!("fma"),
            #[cfg(target_arch = "aarch64")]
            Set::NeonDotProduct => is_detected!("dotprod"),
            Set::Portable => true,
        }
    }
}

impl Instructions {
    /// Returns the fastest set.
    pub fn best() -> Self {
        Self::available().next().unwrap_or(Instructions(Set::Portable))
    }

    /// Returns all sets of this processor, the fastest first.
    pub fn available() -> impl Iterator<Item = Self> {
        Set::ALL.iter().filter(|set| set.is_available()).map(|set| Instructions(*set))
    }

    /// Returns the name of the set.
    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Set::Avx512Vnni => "AVX-512 VNNI",
            #[cfg(target_arch = "x86_64")]
            Set::AvxVnni => "AVX-VNNI",
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => "AVX-512",
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => "AVX2",
            #[cfg(target_arch = "aarch64")]
            Set::NeonDotProduct => "NEON",
            Set::Portable => "portable",
        }
    }
}

/// Defines a method of [`Instructions`] whose loops are compiled for each set.
macro_rules! vectorised {
    ($(#[$doc:meta])* $visibility:vis fn $name:ident($($argument:ident: $kind:ty),* $(,)?) $body:block) => {
        impl Instructions {
            $(#[$doc])*
            $visibility fn $name(self, $($argument: $kind),*) {
                #[inline(always)]
                fn portable($($argument: $kind),*) $body
                #[cfg(target_arch = "x86_64")]
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,fma")]
                fn avx512($($argument: $kind),*) {
                    portable($($argument),*);
                }
                #[cfg(target_arch = "x86_64")]
                #[target_feature(enable = "avx2,fma")]
                fn avx2($($argument: $kind),*) {
                    portable($($argument),*);
                }
                #[cfg(target_arch = "x86_64")]
                use $crate::kernels::instructions::Set;
                match self.0 {
                    #[cfg(target_arch = "x86_64")]
                    // SAFETY: a value of these sets exists only if the processor has their features.
                    Set::Avx512Vnni | Set::Avx512 => unsafe { avx512($($argument),*) },
                    #[cfg(target_arch = "x86_64")]
                    // SAFETY: a value of these sets exists only if the processor has their features.
                    Set::AvxVnni | Set::Avx2 => unsafe { avx2($($argument),*) },
                    _ => portable($($argument),*),
                }
            }
        }
    };
}

pub(super) use vectorised;
