-- tree_fold.cpp in Haskell. Sparks only in the upper levels, as in GpH.
module Main (main) where

import Control.Parallel (par, pseq)
import Data.Bits (shiftR, xor)
import Data.Word (Word64)
import System.Environment (getArgs)
import Timed

data Tree = Leaf !Word64 | Fork !Word64 Tree Tree

mixed :: Word64 -> Word64
mixed x0 = x2 `xor` shiftR x2 31
  where
    x1 = (x0 `xor` shiftR x0 30) * 0xbf58476d1ce4e5b9
    x2 = (x1 `xor` shiftR x1 27) * 0x94d049bb133111eb

grow :: Word64 -> Int -> Tree
grow seed height
  | height == 0 || label `rem` 16 == 0 = Leaf (label `rem` 1000)
  | otherwise = Fork (label `rem` 1000) (grow (label + 1) (height - 1)) (grow (label + 2) (height - 1))
  where
    label = mixed seed

fold :: (Word64 -> Word64 -> Word64 -> Word64) -> Int -> Tree -> Word64
fold combine _ (Leaf label) = combine label 0 0
fold combine 0 (Fork label left right) =
  let l = fold combine 0 left
      r = fold combine 0 right
   in l `seq` r `seq` combine label l r
fold combine levels (Fork label left right) =
  let l = fold combine (levels - 1) left
      r = fold combine (levels - 1) right
   in r `par` (l `pseq` (r `pseq` combine label l r))
{-# INLINE fold #-}

total, height :: Tree -> Word64
total = fold (\label left right -> label + left + right) 10
height = fold (\_ left right -> 1 + max left right) 10

main :: IO ()
main = do
  [most] <- map read <$> getArgs
  let tree = grow 1 most
  printTimed (show (total tree) ++ " " ++ show (height tree))
