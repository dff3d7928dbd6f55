-- What the GHC versions share: the result on standard output, the seconds on standard error.
module Timed (printTimed) where

import GHC.Clock (getMonotonicTime)
import System.IO (hPutStrLn, stderr)

printTimed :: String -> IO ()
printTimed result = do
  begin <- getMonotonicTime
  putStrLn result
  end <- getMonotonicTime
  hPutStrLn stderr ("elapsed: " ++ show (end - begin) ++ " s")
