{-# LANGUAGE BangPatterns, MonoLocalBinds #-}
-- wavefront.cpp in Haskell: unboxed arrays, filled in in the ST monad.
module Main (main) where

import Control.Monad.ST (ST, runST)
import Control.Parallel.Strategies (parList, rseq, using)
import Data.Array.Base (unsafeAt, unsafeFreeze, unsafeRead, unsafeWrite)
import Data.Array.ST (STUArray, newArray)
import Data.Array.Unboxed (UArray, listArray)
import System.Environment (getArgs)
import Timed

type Row = UArray Int Int

data Edges = Edges !Row !Row -- bottom, right

side :: Int
side = 500

randomText :: Int -> Int -> [Int]
randomText size =
  map (\x -> x `quot` 65536 `rem` 4) . take size . tail
    . iterate (\x -> (x * 1103515245 + 12345) `rem` 2147483648)

pieces :: [Int] -> [(Int, Row)]
pieces [] = []
pieces xs = (length first, row first) : pieces rest
  where
    (first, rest) = splitAt side xs

row :: [Int] -> Row
row xs = listArray (0, length xs - 1) xs

distances :: (Int, Row) -> (Int, Row) -> Row -> Row -> Edges
distances (height, down) (width, across) top left = runST $ do
  line <- newArray (0, width) 0
  right <- newArray (0, height) (unsafeAt top width)
  fill line right
  Edges <$> unsafeFreeze line <*> unsafeFreeze right
  where
    fill :: STUArray s Int Int -> STUArray s Int Int -> ST s ()
    fill line right = mapM_ (\j -> unsafeWrite line j (unsafeAt top j)) [0 .. width] >> rows 0
      where
        rows !i
          | i == height = return ()
          | otherwise = do
              diagonal <- unsafeRead line 0
              unsafeWrite line 0 (unsafeAt left (i + 1))
              cells (unsafeAt down i) 0 diagonal (unsafeAt left (i + 1))
              unsafeRead line width >>= unsafeWrite right (i + 1)
              rows (i + 1)
        cells !letter !j !diagonal !before
          | j == width = return ()
          | otherwise = do
              above <- unsafeRead line (j + 1)
              let replaced = if letter == unsafeAt across j then diagonal else diagonal + 1
                  made = min replaced (min before above + 1)
              unsafeWrite line (j + 1) made
              cells letter (j + 1) above made

grid :: [Int] -> [Int] -> [[Edges]]
grid a b = tail (scanl nextRow top (zip [0, side ..] (pieces a)))
  where
    across = pieces b
    top = [Edges (row [j .. j + width]) (row []) | (j, (width, _)) <- zip [0, side ..] across]
    nextRow above (i, down@(height, _)) = tail (scanl next start (zip across above))
      where
        start = Edges (row []) (row [i .. i + height])
        next ~(Edges _ left) (piece, ~(Edges bottom _)) = distances down piece bottom left

main :: IO ()
main = do
  [size] <- map read <$> getArgs
  let blocks = concat (grid (randomText size 1) (randomText size 2)) `using` parList rseq
      Edges bottom _ = last blocks
  printTimed (show (unsafeAt bottom ((size - 1) `rem` side + 1)))
