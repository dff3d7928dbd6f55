{-# LANGUAGE BangPatterns #-}
-- matrix_chain.cpp in Haskell: a lazy array that refers to itself.
module Main (main) where

import Control.Parallel.Strategies (parListChunk, rseq, using)
import Data.Array (Array, listArray)
import Data.Array.Base (unsafeAt)
import System.Environment (getArgs)
import Timed

rowsOf :: Int -> Int
rowsOf i = i * 7919 `rem` 97 + 3

byThunks :: Int -> Int
byThunks matrices = unsafeAt (unsafeAt table (matrices - 1)) 0
  where
    table :: Array Int (Array Int Int) -- by length, from 1, and first matrix
    table = listArray (0, matrices - 1) [costs size | size <- [1 .. matrices]]
    costs size =
      listArray (0, matrices - size)
        (map (cost size) [0 .. matrices - size] `using` parListChunk 32 rseq)
    cost 1 _ = 0
    cost size first = go 1 maxBound
      where
        go !cut !best
          | cut == size = best
          | otherwise =
              let left = unsafeAt (unsafeAt table (cut - 1)) first
                  right = unsafeAt (unsafeAt table (size - cut - 1)) (first + cut)
                  made = left + right + rowsOf first * rowsOf (first + cut) * rowsOf (first + size)
               in go (cut + 1) (min best made)

main :: IO ()
main = do
  [matrices] <- map read <$> getArgs
  printTimed (show (byThunks matrices))
