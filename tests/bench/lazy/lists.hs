-- lists.cpp in Haskell.
module Main (main) where

import Control.Parallel (par, pseq)
import Data.List (foldl')
import System.Environment (getArgs)
import Timed

randomNumbers :: Int -> Int -> [Int]
randomNumbers count = take count . tail . iterate (\x -> (x * 1103515245 + 12345) `rem` 2147483648)

qsort :: [Int] -> [Int]
qsort [] = []
qsort (x : xs) = qsort (filter (< x) xs) ++ x : qsort (filter (>= x) xs)

whole :: [Int] -> [Int]
whole xs = foldl' (flip seq) () xs `seq` xs

-- Sorts the parts of the list beside each other, so many levels deep.
sortBeside :: Int -> [Int] -> [Int]
sortBeside _ [] = []
sortBeside 0 xs = whole (qsort xs)
sortBeside levels (x : xs) = more `par` (less `pseq` whole (less ++ x : more))
  where
    less = sortBeside (levels - 1) (filter (< x) xs)
    more = sortBeside (levels - 1) (filter (>= x) xs)

checksum :: [Int] -> Word
checksum = foldl' (+) 0 . zipWith (*) [1 ..] . map fromIntegral

sieve :: [Int] -> [Int]
sieve (p : xs) = p : sieve (filter (\x -> x `rem` p /= 0) xs)
sieve [] = []

main :: IO ()
main = do
  [numbers, primes] <- map read <$> getArgs
  let lastPrime = sieve [2 ..] !! (primes - 1)
      total = checksum (sortBeside 5 (randomNumbers numbers 1))
  printTimed (lastPrime `par` (total `pseq` (show total ++ " " ++ show lastPrime)))
