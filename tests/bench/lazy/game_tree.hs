{-# LANGUAGE BangPatterns #-}
-- game_tree.cpp in Haskell.
module Main (main) where

import Control.Parallel.Strategies (parList, rseq, using)
import Data.Bits (popCount, shiftL, testBit, (.&.), (.|.))
import System.Environment (getArgs)
import Timed

data Board = Board !Int !Int -- the stones of who is to move, the other's

data Tree = Tree !Board [Tree]

data Found = Found !Int !Int -- value, positions

fourInARow :: [Int]
fourInARow = [0x000f, 0x00f0, 0x0f00, 0xf000, 0x1111, 0x2222, 0x4444, 0x8888, 0x8421, 0x1248]

isLost :: Board -> Bool
isLost (Board _ theirs) = any (\line -> theirs .&. line == line) fourInARow

merit :: Board -> Int
merit (Board mine theirs) = sum (map each fourInARow)
  where
    each line =
      (if theirs .&. line == 0 then popCount (mine .&. line) else 0)
        - (if mine .&. line == 0 then popCount (theirs .&. line) else 0)

tree :: Board -> Tree
tree board@(Board mine theirs) =
  Tree board [tree (Board theirs (mine .|. shiftL 1 square)) | square <- [0 .. 15], free square]
  where
    free square = not (testBit (mine .|. theirs) square)

won :: Int
won = 1000

consider :: Found -> Found -> Found
consider (Found value positions) (Found reply more) = Found (max value (-reply)) (positions + more)

alphaBeta :: Int -> Int -> Int -> Tree -> Found
alphaBeta depth alpha beta (Tree board moves)
  | isLost board = Found (-won) 1
  | depth == 0 = Found (merit board) 1
  | otherwise = go (Found alpha 1) moves
  where
    go !best [] = best
    go best@(Found value _) (move : rest)
      | value >= beta = best
      | otherwise = go (consider best (alphaBeta (depth - 1) (-beta) (-value) move)) rest

-- The first move alone; then the others beside each other, within the bounds that it has given.
search :: Int -> Int -> Int -> Int -> Tree -> Found
search depth alone alpha beta whole@(Tree board moves)
  | depth <= alone || isLost board = alphaBeta depth alpha beta whole
  | otherwise = case moves of
      [] -> Found alpha 1
      eldest : others -> younger (consider (Found alpha 1) (search (depth - 1) alone (-beta) (-alpha) eldest)) others
  where
    younger best@(Found bound _) others
      | bound >= beta = best
      | otherwise = go best (map (search (depth - 1) alone (-beta) (-bound)) others `using` parList rseq)
    go !best [] = best
    go best@(Found value _) (reply : rest)
      | value >= beta = best
      | otherwise = go (consider best reply) rest

main :: IO ()
main = do
  [depth] <- map read <$> getArgs
  let Found value positions = search depth (depth - 3) (-won) won (tree (Board 0 0))
  printTimed (show value ++ " " ++ show positions)
