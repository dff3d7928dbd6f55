{-# LANGUAGE BangPatterns #-}
-- stencil.cpp in Haskell: unboxed arrays, filled in in the ST monad.
module Main (main) where

import Control.Parallel.Strategies (parList, rseq, using)
import Data.Array.Base (unsafeAt, unsafeWrite)
import Data.Array.ST (newArray, runSTUArray)
import Data.Array.Unboxed (UArray, bounds, listArray)
import Data.List (foldl')
import System.Environment (getArgs)
import Text.Printf (printf)
import Timed

type Numbers = UArray Int Double

firstBlock :: Int -> Int -> Int -> Numbers
firstBlock size i j =
  listArray (0, size * size - 1)
    [fromIntegral ((r * 31 + c * 17) `rem` 101) | r <- [i * size .. i * size + size - 1], c <- [j * size .. j * size + size - 1]]

edge :: Int -> Int -> Int -> Numbers -> Numbers
edge size from stride cells = listArray (0, size - 1) [unsafeAt cells (from + k * stride) | k <- [0 .. size - 1]]

step :: Int -> Numbers -> Numbers -> Numbers -> Numbers -> Numbers -> Numbers
step size old north south west east = runSTUArray $ do
  made <- newArray (0, size * size - 1) 0
  let rows !i
        | i == size = return made
        | otherwise = cells i 0 >> rows (i + 1)
      cells !i !j
        | j == size = return ()
        | otherwise = do
            let k = i * size + j
                above = if i > 0 then unsafeAt old (k - size) else unsafeAt north j
                below = if i + 1 < size then unsafeAt old (k + size) else unsafeAt south j
                left = if j > 0 then unsafeAt old (k - 1) else unsafeAt west i
                right = if j + 1 < size then unsafeAt old (k + 1) else unsafeAt east i
            unsafeWrite made k (0.5 * unsafeAt old k + 0.125 * ((above + below) + (left + right)))
            cells i (j + 1)
  rows 0

next :: Int -> [[Numbers]] -> [[Numbers]]
next size grid = zipWith3 rowOf (coldRow : init grid) grid (tail grid ++ [coldRow])
  where
    cold = listArray (0, size - 1) (replicate size 0) :: Numbers
    coldRow = replicate (length grid) cold
    last' = size - 1
    -- An edge of the whole is `cold` itself, and taken as it is.
    take' from stride cells
      | snd (bounds cells) < size = cold
      | otherwise = edge size from stride cells
    rowOf above row below =
      [ step size b (take' (size * last') 1 n) (take' 0 1 s) (take' last' size w) (take' 0 size e)
        | (n, b, s, (w, e)) <- zip4' above row below (zip (cold : init row) (tail row ++ [cold]))
      ]
    zip4' (a : as) (b : bs) (c : cs) (d : ds) = (a, b, c, d) : zip4' as bs cs ds
    zip4' _ _ _ _ = []

run :: Int -> Int -> [[Numbers]] -> [[Numbers]]
run 0 _ grid = grid
run steps size grid = sparked `seq` foldl' (flip seq) () (concat grid) `seq` run (steps - 1) size following
  where
    count = length grid
    following = chunks count sparked
    sparked = concat (next size grid) `using` parList rseq
    chunks _ [] = []
    chunks n xs = take n xs : chunks n (drop n xs)

sumOfSquares :: Numbers -> Double
sumOfSquares cells = go 0 0
  where
    size = snd (bounds cells) + 1
    go !k !total
      | k == size = total
      | otherwise = let x = unsafeAt cells k in go (k + 1) (total + x * x)

main :: IO ()
main = do
  [side, steps] <- map read <$> getArgs
  let size = if side < 250 then 50 else 250
      count = side `quot` size
      blocks = run steps size [[firstBlock size i j | j <- [0 .. count - 1]] | i <- [0 .. count - 1]]
      total = foldl' (+) 0 (map sumOfSquares (concat blocks))
  printTimed (printf "%.6f" (total / fromIntegral (side * side)))
